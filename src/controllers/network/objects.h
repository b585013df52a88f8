#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/typed/decode.h"
#include "kinds/core/services/balancer_status.h"

// The fields of Services, pods and nodes that controllers of the network decide by.

namespace proa::controllers::network {

struct ServicePortSpec {
  std::string name;
  std::string protocol = "TCP";
  std::optional<std::string> app_protocol;
  api::IntOrString target;
  int64_t port = 0;
  int64_t node_port = 0;

  static const api::FieldTable& table();
};

struct ServiceAnnotations {
  std::optional<std::string> topology_hints;
  std::optional<std::string> topology_mode;

  static const api::FieldTable& table();
};

struct ServiceMetadata {
  Time created{};
  ServiceAnnotations annotations;
  std::vector<std::string> finalizers;

  static const api::FieldTable& table();
};

struct ServiceSpec {
  std::vector<ServicePortSpec> ports;
  std::optional<api::MapSelector> selector;
  std::string_view cluster_ip;
  std::string_view type;
  bool publish_not_ready = false;
  std::vector<std::string> families;
  api::Presence balancer_class;
  std::string balancer_ip;
  int64_t health_check_port = 0;
  std::string traffic_distribution;

  static const api::FieldTable& table();
};

struct Service {
  ServiceMetadata metadata;
  ServiceSpec spec;
  kinds::ServiceStatus status;

  static const api::FieldTable& table();
};

struct BackendPort {
  std::string name;
  int64_t number = 0;
  std::string protocol = "TCP";

  static const api::FieldTable& table();
};

struct BackendContainer {
  std::vector<BackendPort> ports;
  std::string_view restart_policy;

  static const api::FieldTable& table();
};

struct BackendSpec {
  std::vector<BackendContainer> init_containers;
  std::vector<BackendContainer> containers;
  std::string hostname;
  std::string subdomain;

  static const api::FieldTable& table();
};

struct BackendAddress {
  std::string_view ip;

  static const api::FieldTable& table();
};

struct BackendStatus {
  std::string_view address;
  std::vector<BackendAddress> addresses;

  static const api::FieldTable& table();
};

// A pod that a Service may lead to.
struct BackendPod {
  BackendSpec spec;
  BackendStatus status;

  static const api::FieldTable& table();
};

struct HostPort {
  int64_t number = 0;  // zero: none
  std::string_view protocol = "TCP";
  std::string_view address;

  static const api::FieldTable& table();
};

struct HostPortContainer {
  std::vector<HostPort> ports;

  static const api::FieldTable& table();
};

struct HostPortSpec {
  std::string_view node;
  std::vector<HostPortContainer> init_containers;
  std::vector<HostPortContainer> containers;

  static const api::FieldTable& table();
};

struct HostPortStatus {
  std::string_view phase;

  static const api::FieldTable& table();
};

// A pod that may take ports of its node.
struct HostPortPod {
  HostPortSpec spec;
  HostPortStatus status;

  static const api::FieldTable& table();
};

struct ServerPort {
  int64_t number = 0;
  std::string_view protocol = "TCP";

  static const api::FieldTable& table();
};

struct ServerEndpoint {
  std::vector<std::string_view> addresses;

  static const api::FieldTable& table();
};

// The EndpointSlice of the API servers.
struct ServerSlice {
  std::vector<ServerEndpoint> endpoints;
  std::vector<ServerPort> ports;

  static const api::FieldTable& table();
};

}  // namespace proa::controllers::network
