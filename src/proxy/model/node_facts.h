#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/net/ip_address.h"

namespace proa::proxy {

// The packet mark of traffic whose source is replaced by the node's address (masqueradeBit 14).
inline constexpr uint32_t kMasqueradeMark = 0x4000;

// What rules and the choice of endpoints depend on besides Services: this node. Lists have both
// families.
struct NodeFacts {
  std::string name;
  std::string zone;                  // label topology.kubernetes.io/zone
  std::vector<IpAddress> addresses;  // of the Node object, the primary one of each family first
  // Addresses of pods. Traffic to cluster IPs from elsewhere is masqueraded. Empty for a family:
  // not known, and none is.
  std::vector<IpPrefix> pod_ranges;
  // Addresses that cluster IPs are allocated from (ServiceCIDRs). What is for one that no Service
  // has is dropped.
  std::vector<IpPrefix> service_ranges;
  // Traffic to cluster IPs is always masqueraded.
  bool masquerade_all = false;
  // Where node ports are served: at all local addresses, or at these. The loopback addresses are
  // among them only where a mode serves them (127.0.0.1 by iptables).
  bool all_node_port_addresses = true;
  std::vector<IpAddress> node_port_addresses;
  bool localhost_node_ports = true;

  bool operator==(const NodeFacts&) const = default;
};

}  // namespace proa::proxy
