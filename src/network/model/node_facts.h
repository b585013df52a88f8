#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/typed/decode.h"
#include "base/net/ip_address.h"
#include "kinds/core/services/balancer_node.h"
#include "netlink/wireguard/wireguard.h"

namespace proa::network {

// What the pod network needs to know of a node.
struct NodeFacts {
  std::string name = {};
  std::vector<IpPrefix> ranges = {};              // spec.podCIDRs
  std::vector<IpAddress> addresses = {};          // of type InternalIP, the preferred family first
  std::optional<netlink::WireguardKey> key = {};  // its public one, if it encrypts
};

// The annotation of a Node with its public key, in base64.
constexpr std::string_view kKeyAnnotation = "proa.dev/wireguard-public-key";
bool operator==(const NodeFacts& a, const NodeFacts& b);

bool same_prefix(const IpPrefix& a, const IpPrefix& b);

// Fields of a Node, as the API has them.
struct NodeSpec {
  std::vector<std::string> pod_cidrs;
  static const api::FieldTable& table();
};
struct NodeStatus {
  std::vector<kinds::NodeAddress> addresses;
  static const api::FieldTable& table();
};
struct NodeAnnotations {
  std::string key;
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

// What cannot be read is left out: a node writes its own status.
NodeFacts node_facts(const api::Object& node);

}  // namespace proa::network
