#pragma once

#include <string_view>
#include <vector>

#include "api/object/object.h"
#include "api/typed/decode.h"
#include "base/net/ip_address.h"

// A Node as load balancers see it. The controllers that choose the addresses of load balancers and
// the nodes that announce them must agree on it.

namespace proa::kinds {

// Set by the cluster autoscaler before it deletes a node.
inline constexpr std::string_view kToBeDeletedTaint = "ToBeDeletedByClusterAutoscaler";

struct NodeTaint {
  std::string_view key;

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

struct BalancerNodeSpec {
  std::vector<NodeTaint> taints;

  static const api::FieldTable& table();
};

struct DaemonEndpoint {
  int64_t port = 0;

  static const api::FieldTable& table();
};

struct DaemonEndpoints {
  DaemonEndpoint kubelet;

  static const api::FieldTable& table();
};

struct BalancerNodeStatus {
  std::vector<NodeCondition> conditions;
  std::vector<NodeAddress> addresses;
  DaemonEndpoints daemons;

  static const api::FieldTable& table();
};

struct BalancerNodeAnnotations {
  std::string_view used_ports;

  static const api::FieldTable& table();
};

struct BalancerNodeMetadata {
  BalancerNodeAnnotations annotations;

  static const api::FieldTable& table();
};

struct BalancerNode {
  BalancerNodeMetadata metadata;
  BalancerNodeSpec spec;
  BalancerNodeStatus status;

  static const api::FieldTable& table();
};

// Whether load balancers leave a node out, ready or not: by its label, or since it is about to be
// deleted. As upstream's service controller decides. `node`: the decoded `object`.
bool is_excluded_from_balancers(const api::Object& object, const BalancerNode& node);
bool is_ready(const BalancerNode& node);
// What is no address is left out: a node writes its own status.
std::vector<IpAddress> internal_addresses(const BalancerNode& node);

}  // namespace proa::kinds
