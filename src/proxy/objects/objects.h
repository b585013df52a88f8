#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/typed/decode.h"
#include "kinds/core/services/balancer_node.h"
#include "kinds/core/services/balancer_status.h"
#include "kinds/discovery/endpoint_conditions.h"

// The fields of Services, EndpointSlices and Nodes that the proxy decides by.

namespace proa::proxy::objects {

struct ServicePortSpec {
  std::string_view name;
  std::string_view protocol = "TCP";
  int64_t port = 0;
  int64_t node_port = 0;

  static const api::FieldTable& table();
};

struct ClientIpConfig {
  int64_t timeout_seconds = 10800;

  static const api::FieldTable& table();
};

struct AffinityConfig {
  ClientIpConfig client_ip;

  static const api::FieldTable& table();
};

struct ServiceSpec {
  std::vector<ServicePortSpec> ports;
  std::string_view type;
  std::string_view cluster_ip;
  std::vector<std::string_view> cluster_ips;
  std::vector<std::string_view> families;
  std::vector<std::string_view> external_ips;
  std::vector<std::string> source_ranges;
  std::string_view affinity;
  AffinityConfig affinity_config;
  std::string_view internal_policy;
  std::string_view external_policy;
  int64_t health_check_port = 0;

  static const api::FieldTable& table();
};

struct Service {
  ServiceSpec spec;
  kinds::ServiceStatus status;

  static const api::FieldTable& table();
};

struct SliceAnnotations {
  std::string trigger_time;

  static const api::FieldTable& table();
};

struct SliceMetadata {
  SliceAnnotations annotations;

  static const api::FieldTable& table();
};

struct ZoneHint {
  std::string_view name;

  static const api::FieldTable& table();
};

struct NodeHint {
  std::string_view name;

  static const api::FieldTable& table();
};

struct EndpointHints {
  std::vector<ZoneHint> zones;
  std::vector<NodeHint> nodes;

  static const api::FieldTable& table();
};

struct SliceEndpoint {
  std::vector<std::string_view> addresses;
  kinds::EndpointConditions conditions;
  std::string_view node;
  EndpointHints hints;

  static const api::FieldTable& table();
};

struct SlicePort {
  // Absent: not a port of a Service.
  std::optional<std::string_view> name;
  std::string_view protocol = "TCP";
  int64_t port = 0;

  static const api::FieldTable& table();
};

struct EndpointSlice {
  SliceMetadata metadata;
  std::string_view address_type;
  std::vector<SliceEndpoint> endpoints;
  std::vector<SlicePort> ports;

  static const api::FieldTable& table();
};

struct NodeSpec {
  std::vector<std::string_view> pod_ranges;
  std::vector<kinds::NodeTaint> taints;

  static const api::FieldTable& table();
};

struct NodeStatus {
  std::vector<kinds::NodeAddress> addresses;

  static const api::FieldTable& table();
};

struct Node {
  NodeSpec spec;
  NodeStatus status;

  static const api::FieldTable& table();
};

struct ServiceCidrSpec {
  std::vector<std::string_view> ranges;

  static const api::FieldTable& table();
};

struct ServiceCidr {
  ServiceCidrSpec spec;

  static const api::FieldTable& table();
};

}  // namespace proa::proxy::objects
