#include "proxy/model/choose.h"

#include <algorithm>
#include <tuple>

namespace proa::proxy {
namespace choose {

enum class Topology : uint8_t { kAny, kSameNode, kSameZone };

auto place_of(const Candidate& candidate) {
  return std::tie(candidate.endpoint.address, candidate.endpoint.port);
}

bool contains(const std::vector<std::string_view>& hints, std::string_view wanted) {
  return std::find(hints.begin(), hints.end(), wanted) != hints.end();
}

bool is_last_resort(const Candidate& candidate) {
  return candidate.serving && candidate.terminating;
}

// What hints of one kind say about the ready candidates.
struct Hints {
  bool on_all = true;
  bool here = false;

  void add(const std::vector<std::string_view>& hints, std::string_view wanted) {
    if (hints.empty()) on_all = false;
    if (contains(hints, wanted)) here = true;
  }
  bool usable() const { return on_all && here; }
};

Topology topology_of(const std::vector<Candidate>& candidates, const NodeFacts& node) {
  Hints nodes;
  Hints zones;
  for (const Candidate& candidate : candidates) {
    if (!candidate.ready) continue;
    nodes.add(candidate.nodes, node.name);
    zones.add(candidate.zones, node.zone);
  }
  if (nodes.usable()) return Topology::kSameNode;
  return zones.usable() ? Topology::kSameZone : Topology::kAny;
}

bool fits(const Candidate& candidate, Topology topology, const NodeFacts& node) {
  switch (topology) {
    case Topology::kAny:
      return true;
    case Topology::kSameNode:
      return contains(candidate.nodes, node.name);
    case Topology::kSameZone:
      return contains(candidate.zones, node.zone);
  }
  return false;
}

template <typename Condition>
std::vector<Endpoint> those(const std::vector<Candidate>& candidates, Condition condition) {
  std::vector<Endpoint> found;
  for (const Candidate& candidate : candidates) {
    if (condition(candidate)) found.push_back(candidate.endpoint);
  }
  return found;
}

}  // namespace choose

void remove_duplicates(std::vector<Candidate>& candidates) {
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) {
                     return choose::place_of(a) < choose::place_of(b);
                   });
  size_t kept = 0;
  for (Candidate& candidate : candidates) {
    const bool again =
        kept > 0 && choose::place_of(candidates[kept - 1]) == choose::place_of(candidate);
    const bool worse =
        candidate.terminating || (again && candidates[kept - 1].ready && !candidate.ready);
    if (again && worse) continue;
    Candidate& place = candidates[again ? kept - 1 : kept++];
    if (&place != &candidate) place = std::move(candidate);
  }
  candidates.resize(kept);
}

void choose_endpoints(const std::vector<Candidate>& candidates, const NodeFacts& node,
                      ServicePort& port) {
  using choose::is_last_resort;
  using choose::those;
  port.cluster_endpoints.clear();
  port.local_endpoints.clear();
  port.serving_endpoints.clear();
  port.has_endpoints = std::any_of(candidates.begin(), candidates.end(),
                                   [](const Candidate& c) { return c.ready || is_last_resort(c); });
  if (port.name.protocol == Protocol::kUdp) {
    port.serving_endpoints = those(candidates, [](const Candidate& c) { return c.serving; });
  }
  if (port.uses_cluster_endpoints()) {
    const choose::Topology topology = choose::topology_of(candidates, node);
    port.cluster_endpoints = those(
        candidates, [&](const Candidate& c) { return c.ready && choose::fits(c, topology, node); });
    if (port.cluster_endpoints.empty()) port.cluster_endpoints = those(candidates, is_last_resort);
  }
  if (port.uses_local_endpoints()) {
    port.local_endpoints =
        those(candidates, [](const Candidate& c) { return c.endpoint.local && c.ready; });
    if (port.local_endpoints.empty()) {
      port.local_endpoints = those(
          candidates, [](const Candidate& c) { return c.endpoint.local && is_last_resort(c); });
    }
  }
}

}  // namespace proa::proxy
