#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/typed/decode.h"

// The fields of Services, EndpointSlices, Nodes and Leases by which announcers decide.

namespace proa::network::announced {

struct ServicePort {
  int64_t number = 0;
  std::string_view protocol = "TCP";

  static const api::FieldTable& table();
};

struct ServiceSpec {
  std::string_view type;
  std::vector<ServicePort> ports;
  std::string_view external_policy;
  api::Presence balancer_class;

  static const api::FieldTable& table();
};

struct BalancerIngress {
  std::string_view ip;
  std::string_view mode = "VIP";

  static const api::FieldTable& table();
};

struct BalancerStatus {
  std::vector<BalancerIngress> ingress;

  static const api::FieldTable& table();
};

struct ServiceStatus {
  BalancerStatus balancer;

  static const api::FieldTable& table();
};

struct Service {
  ServiceSpec spec;
  ServiceStatus status;

  static const api::FieldTable& table();
};

struct EndpointConditions {
  bool ready = true;
  bool serving = true;

  static const api::FieldTable& table();
};

struct Endpoint {
  EndpointConditions conditions;
  std::string_view node;

  static const api::FieldTable& table();
};

struct EndpointSlice {
  std::string_view address_type;
  std::vector<Endpoint> endpoints;

  static const api::FieldTable& table();
};

struct NodeTaint {
  std::string_view key;

  static const api::FieldTable& table();
};

struct NodeSpec {
  std::vector<NodeTaint> taints;

  static const api::FieldTable& table();
};

struct NodeAddress {
  std::string_view type;
  std::string_view address;

  static const api::FieldTable& table();
};

struct NodeCondition {
  std::string_view type;
  std::string_view status;

  static const api::FieldTable& table();
};

struct NodeStatus {
  std::vector<NodeCondition> conditions;
  std::vector<NodeAddress> addresses;

  static const api::FieldTable& table();
};

struct NodeAnnotations {
  std::string_view used_ports;

  static const api::FieldTable& table();
};

struct NodeMetadata {
  NodeAnnotations annotations;

  static const api::FieldTable& table();
};

struct Node {
  NodeMetadata metadata;
  NodeSpec spec;
  NodeStatus status;

  static const api::FieldTable& table();
};

struct LeaseSpec {
  std::string_view holder;
  std::string_view renewed;

  static const api::FieldTable& table();
};

struct Lease {
  LeaseSpec spec;

  static const api::FieldTable& table();
};

}  // namespace proa::network::announced
