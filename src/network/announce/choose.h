#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/net/ip_address.h"

// Which node announces which address. Decided by all nodes alike, from what the API says, so that
// they need not agree on anything first.

namespace proa::network {

// An address of a load balancer, and the nodes that may announce it.
struct AnnouncedAddress {
  IpAddress address;
  std::vector<std::string> nodes = {};
  // Only where there are too few of the others: nodes with an API server. Where it is the only one,
  // nobody sees it die.
  std::vector<std::string> spare_nodes = {};
  bool operator==(const AnnouncedAddress&) const = default;
};

// How many nodes stand by for one address. Only these renew Leases: the cost of watching each other
// does not grow with the cluster.
inline constexpr size_t kStandby = 3;

// The nodes that announce an address, first choice first, at most kStandby: those with the highest
// weights (rendezvous hashing), so that a node that comes or goes moves no other node's addresses.
std::vector<std::string_view> rank_nodes(const IpAddress& address,
                                         std::span<const std::string> nodes);

struct AnnounceDecision {
  // This node stands by for an address: it renews its Lease.
  bool takes_part = false;
  // The addresses for which it answers.
  std::set<IpAddress> announce = {};
  bool operator==(const AnnounceDecision&) const = default;
};

// `live`: nodes whose Leases are renewed. This node need not be among them.
AnnounceDecision decide_announcements(std::span<const AnnouncedAddress> addresses,
                                      std::string_view own_node,
                                      const std::set<std::string, std::less<>>& live);

}  // namespace proa::network
