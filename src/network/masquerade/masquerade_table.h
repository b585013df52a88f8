#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/net/ip_address.h"
#include "netlink/nft/ruleset.h"
#include "network/model/options.h"

namespace proa::network {

// Packets of pods that leave the cluster get the address of the node.
struct Masquerade {
  std::vector<IpPrefix> from = {};    // this node's pods
  std::vector<IpPrefix> except = {};  // destinations that see the pod's own address
  bool operator==(const Masquerade&) const = default;
};

// VXLAN packets are taken from nodes only, and pods send none: others could send packets into the
// pod network.
struct TunnelGuard {
  uint16_t port = 0;
  uint32_t id = 0;
  bool v6 = false;                      // the family of the outer packets
  std::vector<IpAddress> senders = {};  // of that family, each once
  bool operator==(const TunnelGuard&) const = default;
};

// The part of a family.
Masquerade of_family(const Masquerade& masquerade, bool v6);

// The table of a family; without chains if there is nothing to do. One rule for all pods of a
// range, whose exceptions are a set. (CNI's bridge plugin would add rules for every pod, which is
// slow, and leak them when it is killed.) What enters by the bridge has an address of this node's
// pods, and nothing else has one.
netlink::nft::Table masquerade_table(const NetworkOptions& options, const Masquerade& wanted,
                                     bool v6, const std::optional<TunnelGuard>& guard = {});

}  // namespace proa::network
