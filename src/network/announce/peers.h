#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace proa::network {

// How often a node renews its Lease.
inline constexpr Duration kRenewPeriod = std::chrono::milliseconds(500);
// Without a renewal for so long, a node is dead: two renewals were missed. With kRenewPeriod, until
// the others have looked, an address is back after 1.6 s at the latest.
inline constexpr Duration kPeerExpiry = std::chrono::milliseconds(1100);

// Which nodes renew their Leases, as seen through the watch of this node. Renewals of others count
// only as far as this node's own are seen: if none comes, not even its own, then the API is away or
// slow, which says nothing about the others, and they stay what they were. Times are of this
// machine's clock, so that clocks need not agree. For one thread.
class Peers {
 public:
  explicit Peers(std::string own_node) : own_node_(std::move(own_node)) {}

  // A node's Lease has this renewal time (any text that differs at each renewal).
  void renewed(const std::string& node, std::string_view renewal, Steady now);
  // It was deleted: its node has stopped.
  void removed(const std::string& node);

  // Nodes that live, this one among them. Empty before this node's own renewal was seen.
  std::set<std::string, std::less<>> live() const;
  // Whether this node's own renewals are missing.
  bool is_blind(Steady now) const { return !own_seen_ || now - *own_seen_ > kPeerExpiry; }

 private:
  struct Peer {
    std::string renewal;
    Steady seen{};
  };

  std::string own_node_;
  std::map<std::string, Peer> peers_;  // without this node
  std::string own_renewal_;
  std::optional<Steady> own_seen_;
};

}  // namespace proa::network
