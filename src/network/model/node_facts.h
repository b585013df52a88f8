#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/typed/decode.h"
#include "base/net/ip_address.h"

namespace proa::network {

// What the pod network needs to know of a node.
struct NodeFacts {
  std::string name = {};
  std::vector<IpPrefix> ranges = {};      // spec.podCIDRs
  std::vector<IpAddress> addresses = {};  // of type InternalIP, the preferred family first
};
bool operator==(const NodeFacts& a, const NodeFacts& b);

bool same_prefix(const IpPrefix& a, const IpPrefix& b);

// Fields of a Node, as the API has them.
struct NodeSpec {
  std::vector<std::string> pod_cidrs;
  static const api::FieldTable& table();
};
struct NodeAddress {
  std::string type;
  std::string address;
  static const api::FieldTable& table();
};
struct NodeStatus {
  std::vector<NodeAddress> addresses;
  static const api::FieldTable& table();
};
struct Node {
  NodeSpec spec;
  NodeStatus status;
  static const api::FieldTable& table();
};

// What cannot be read is left out: a node writes its own status.
NodeFacts node_facts(const api::Object& node);

}  // namespace proa::network
