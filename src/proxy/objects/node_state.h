#pragma once

#include <span>
#include <string>
#include <vector>

#include "api/object/object.h"
#include "base/net/ip_address.h"

namespace proa::proxy {

// What the proxy reads of its own Node.
struct NodeState {
  std::string zone = {};
  std::vector<IpAddress> addresses = {};  // internal ones first
  std::vector<IpPrefix> pod_ranges = {};  // of this node
  // Load balancers may send traffic here: the node neither goes nor is about to.
  bool eligible = true;

  bool operator==(const NodeState&) const = default;
};

NodeState read_node(const api::Object& node);

// The ranges of all ServiceCIDRs, sorted.
std::vector<IpPrefix> read_service_ranges(std::span<const api::ObjectPtr> service_cidrs);

}  // namespace proa::proxy
