#include "network/announce/peers.h"

namespace proa::network {

void Peers::renewed(const std::string& node, std::string_view renewal, Steady now) {
  if (node != own_node_) {
    Peer& peer = peers_[node];
    if (peer.renewal == renewal) return;
    peer = {std::string(renewal), now};
    return;
  }
  if (own_renewal_ == renewal) return;
  // Back from blindness: the others' renewals may be on their way as this one was.
  if (is_blind(now)) {
    for (auto& [name, peer] : peers_) peer.seen = now;
  }
  own_renewal_ = renewal;
  own_seen_ = now;
}

void Peers::removed(const std::string& node) {
  if (node != own_node_) peers_.erase(node);
}

std::set<std::string, std::less<>> Peers::live() const {
  std::set<std::string, std::less<>> live;
  if (!own_seen_) return live;
  live.insert(own_node_);
  for (const auto& [name, peer] : peers_) {
    if (*own_seen_ - peer.seen <= kPeerExpiry) live.insert(name);
  }
  return live;
}

}  // namespace proa::network
