#pragma once

#include <string>
#include <vector>

#include "base/net/ip_address.h"
#include "netlink/nft/ruleset.h"

namespace proa::network {

// Packets of pods that leave the cluster get the address of the node.
struct Masquerade {
  std::vector<IpPrefix> from = {};    // this node's pods
  std::vector<IpPrefix> except = {};  // destinations that see the pod's own address
  bool operator==(const Masquerade&) const = default;
};

// The part of a family.
Masquerade of_family(const Masquerade& masquerade, bool v6);

// The table of a family. One rule for all pods of a range, whose exceptions are a set. (CNI's
// bridge plugin would add rules for every pod, which is slow, and leak them when it is killed.)
netlink::nft::Table masquerade_table(const std::string& name, const Masquerade& wanted, bool v6);

}  // namespace proa::network
