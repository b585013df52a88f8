#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/net/ip_address.h"
#include "netlink/nft/ruleset.h"
#include "netlink/route/types.h"
#include "network/model/options.h"

namespace proa::network {

// A pod as its port of the bridge should see it.
struct PodPort {
  std::string link;  // the port: the host's end of the pod's link
  netlink::MacAddress mac = {};
  std::vector<IpAddress> addresses = {};
  std::set<IpAddress> broadcasts = {};
  bool operator==(const PodPort&) const = default;
};

// The address that a link makes of its MAC by itself.
IpAddress link_local_address(const netlink::MacAddress& mac);

// What may enter by the ports of the bridge; without chains if it has none.
//
// A pod sends as itself: IP packets and ARP with its own MAC and addresses, and what neighbours
// tell each other about itself. What it cannot say, others believe of nobody: whose address is
// where (ARP, neighbour advertisements, the bridge's own table), and who is a router. Frames with a
// VLAN tag come in by no port: packets behind a tag pass the rules for packets unseen, and the
// receiver's kernel takes tags of VLAN 0 off. And it sends to one receiver at a time, but for
// neighbour discovery: the rules for packets know receivers by their addresses, and broadcast and
// multicast packets would reach whom they protect. For the same reason a pod receives what is for
// its MAC and addresses only. Everything else is judged by those rules.
//
// By the names of ports, since not every kernel has words for the bridge that a port is of. A port
// without a pod is none of ours but for tags.
netlink::nft::Table guard_table(const NetworkOptions& options, const std::set<std::string>& ports,
                                const std::vector<PodPort>& pods);

netlink::nft::TableName guard_table_name(const NetworkOptions& options);

}  // namespace proa::network
