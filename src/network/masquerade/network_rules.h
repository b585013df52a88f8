#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/net/ip_address.h"
#include "base/result.h"

namespace proa::network {

// Packets of pods that leave the cluster get the address of the node.
struct Masquerade {
  std::vector<IpPrefix> from = {};    // this node's pods
  std::vector<IpPrefix> except = {};  // destinations that see the pod's own address
};

// One rule for all pods of a family, in a chain of our own. (CNI's bridge plugin would add rules
// for every pod, which is slow, and leak them when it is killed.)
Result<void> set_masquerade(const std::string& network, const Masquerade& wanted,
                            const Clock& clock);

// Removes that, and what CNI's portmap plugin left of this network; and its shared chains if no
// other network uses them.
Result<void> remove_network_rules(const std::string& network, const Clock& clock);

// Pure: the input for iptables-restore; empty if there is nothing to do. `saved`: the output of
// iptables-save.
std::string masquerade_text(std::string_view saved, const std::string& network,
                            const Masquerade& wanted, bool v6);
std::string removal_text(std::string_view saved, const std::string& network);

}  // namespace proa::network
