#include "network/announce/choose.h"

#include <algorithm>
#include <cstdint>

namespace proa::network {
namespace choose {

// The same in every release: nodes of different releases must agree. FNV-1a, and the finalizer of
// SplitMix64, without which similar names have similar weights.
uint64_t weight(const IpAddress& address, std::string_view node) {
  uint64_t hash = 0xcbf29ce484222325;
  const auto add = [&hash](uint8_t byte) { hash = (hash ^ byte) * 0x100000001b3; };
  for (const char c : node) add(static_cast<uint8_t>(c));
  for (const uint8_t byte : address.bytes) add(byte);
  hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9;
  hash = (hash ^ (hash >> 27)) * 0x94d049bb133111eb;
  return hash ^ (hash >> 31);
}

}  // namespace choose

std::vector<std::string_view> rank_nodes(const IpAddress& address,
                                         std::span<const std::string> nodes) {
  std::vector<std::pair<uint64_t, std::string_view>> weighted;
  weighted.reserve(nodes.size());
  for (const std::string& node : nodes) weighted.emplace_back(choose::weight(address, node), node);
  const size_t count = std::min(kStandby, weighted.size());
  std::partial_sort(weighted.begin(), weighted.begin() + static_cast<ptrdiff_t>(count),
                    weighted.end(), std::greater<>());
  std::vector<std::string_view> ranked;
  for (size_t i = 0; i < count; ++i) ranked.push_back(weighted[i].second);
  return ranked;
}

AnnounceDecision decide_announcements(std::span<const AnnouncedAddress> addresses,
                                      std::string_view own_node,
                                      const std::set<std::string, std::less<>>& live) {
  AnnounceDecision decision;
  for (const AnnouncedAddress& one : addresses) {
    std::vector<std::string_view> ranked = rank_nodes(one.address, one.nodes);
    for (const std::string_view spare : rank_nodes(one.address, one.spare_nodes)) {
      if (ranked.size() < kStandby) ranked.push_back(spare);
    }
    const auto own = std::find(ranked.begin(), ranked.end(), own_node);
    if (own == ranked.end()) continue;
    decision.takes_part = true;
    const bool another_does = std::any_of(
        ranked.begin(), own, [&](std::string_view node) { return live.contains(node); });
    if (!another_does) decision.announce.insert(one.address);
  }
  return decision;
}

}  // namespace proa::network
