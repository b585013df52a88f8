#include "controllers/network/slices/hints.h"

#include <fmt/format.h>

#include <algorithm>

namespace proa::controllers {
namespace hints {

using Allocations = std::map<std::string_view, ZoneAllocation>;
using Shares = std::map<std::string_view, double>;
using Moves = std::map<std::string_view, int>;

constexpr const char* kSameNode = "PreferSameNode";

int count_ready(std::span<const SliceToHint> slices) {
  int count = 0;
  for (const SliceToHint& one : slices) {
    for (const SliceEndpoint* endpoint : one.slice->endpoints)
      count += endpoint->is_ready() ? 1 : 0;
  }
  return count;
}

// Whether the hints of a slice can be kept, given those of the slices before it.
bool can_stay(const SliceFacts& facts, const ZoneCounts& others, const Allocations& allocations) {
  if (facts.ready_without_hint) return false;
  for (const auto& [zone, count] : facts.hints_by_zone) {
    const auto allocation = allocations.find(zone);
    if (allocation == allocations.end()) return false;
    const auto other = others.find(zone);
    const int all = count + (other == others.end() ? 0 : other->second);
    if (all > allocation->second.maximum) return false;
  }
  return true;
}

void remove_all(std::span<const SliceToHint> slices) {
  for (const SliceToHint& one : slices) {
    if (one.before != nullptr && one.before->hinted) one.slice->changed = true;
    for (SliceEndpoint* endpoint : one.slice->endpoints) endpoint->for_zones.clear();
  }
}

// False if an endpoint has no zone.
bool put_own_zones(std::span<const SliceToHint> slices, ZoneCounts& counts) {
  for (const SliceToHint& one : slices) {
    if (!one.slice->changed) continue;
    for (SliceEndpoint* endpoint : one.slice->endpoints) {
      endpoint->for_zones.clear();
      if (!endpoint->is_ready()) continue;
      if (endpoint->zone.empty()) return false;
      endpoint->for_zones = {endpoint->zone};
      ++counts[std::string(endpoint->zone)];
    }
  }
  return true;
}

Shares::iterator most_of(Shares& shares) {
  return std::max_element(shares.begin(), shares.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; });
}

// The number of endpoints each zone gives and receives.
void plan_moves(const Allocations& allocations, const ZoneCounts& counts, Moves& giving,
                Moves& receiving) {
  Shares too_many;
  Shares too_few;
  for (const auto& [zone, allocation] : allocations) {
    const auto found = counts.find(std::string(zone));
    const double difference = (found == counts.end() ? 0 : found->second) - allocation.desired;
    if (difference > 0) too_many[zone] = difference;
    if (difference < 0) too_few[zone] = -difference;
  }
  while (!too_many.empty() && !too_few.empty()) {
    const auto from = most_of(too_many);
    const auto to = most_of(too_few);
    // A move needs at least half an endpoint on both sides, and a whole one on one of them.
    if (from->second < 0.5 || to->second < 0.5) return;
    if (from->second < 1 && to->second < 1) return;
    ++giving[from->first];
    ++receiving[to->first];
    from->second -= 1;
    to->second -= 1;
  }
}

void move(std::span<const SliceToHint> slices, Moves& giving, Moves& receiving,
          ZoneCounts& counts) {
  for (const SliceToHint& one : slices) {
    if (!one.slice->changed) continue;
    for (SliceEndpoint* endpoint : one.slice->endpoints) {
      if (receiving.empty()) return;
      const auto from = giving.find(endpoint->zone);
      if (!endpoint->is_ready() || from == giving.end()) continue;
      const auto to = receiving.begin();
      endpoint->for_zones = {to->first};
      ++counts[std::string(to->first)];
      --counts[std::string(from->first)];
      if (--to->second == 0) receiving.erase(to);
      if (--from->second == 0) giving.erase(from);
    }
  }
}

}  // namespace hints

bool asks_for_hints(std::string_view traffic_distribution) {
  return traffic_distribution == "PreferClose" || traffic_distribution == "PreferSameZone" ||
         traffic_distribution == hints::kSameNode;
}

void put_distribution_hints(std::span<SliceEndpoint> endpoints,
                            std::string_view traffic_distribution) {
  for (SliceEndpoint& endpoint : endpoints) {
    if (!endpoint.is_ready()) continue;
    if (!endpoint.zone.empty()) endpoint.for_zones = {endpoint.zone};
    if (traffic_distribution == hints::kSameNode && !endpoint.node.empty()) {
      endpoint.for_nodes = {endpoint.node};
    }
  }
}

ZoneAllocations allocate_zones(const std::optional<ZoneRatios>& ratios, int endpoints) {
  ZoneAllocations all;
  if (!ratios) {
    all.problem =
        "Insufficient Node information: allocatable CPU or zone not specified on one or more nodes";
    return all;
  }
  const auto too_few = [&](std::string_view what) {
    return fmt::format("{} ({} endpoints, {} zones)", what, endpoints, ratios->size());
  };
  if (static_cast<int>(ratios->size()) > endpoints) {
    all.problem = too_few("Insufficient number of endpoints");
    return all;
  }
  int left = endpoints;
  for (const auto& [zone, ratio] : *ratios) {
    const double share = ratio * endpoints;
    const int minimum = fewest_endpoints(share);
    all.zones[zone] = {.minimum = minimum, .maximum = 0, .desired = std::max(share, minimum * 1.0)};
    left -= minimum;
  }
  if (left < 0) {
    all.zones.clear();
    all.problem = too_few(
        "Unable to allocate minimum required endpoints to each zone without exceeding overload "
        "threshold");
  }
  for (auto& [zone, allocation] : all.zones) allocation.maximum = allocation.minimum + left;
  return all;
}

TopologyHints put_topology_hints(std::span<const SliceToHint> slices,
                                 const std::optional<ZoneRatios>& ratios) {
  TopologyHints put;
  const ZoneAllocations allocations = allocate_zones(ratios, hints::count_ready(slices));
  put.problem = allocations.problem;
  if (put.problem.empty()) {
    for (const SliceToHint& one : slices) {
      if (one.slice->changed) continue;
      if (!hints::can_stay(*one.before, put.by_zone, allocations.zones)) {
        one.slice->changed = true;
        continue;
      }
      for (const auto& [zone, count] : one.before->hints_by_zone) put.by_zone[zone] += count;
    }
    if (!hints::put_own_zones(slices, put.by_zone)) {
      put.problem = "One or more endpoints do not have a zone specified";
    }
  }
  if (!put.problem.empty()) {
    hints::remove_all(slices);
    put.by_zone.clear();
    return put;
  }
  hints::Moves giving;
  hints::Moves receiving;
  hints::plan_moves(allocations.zones, put.by_zone, giving, receiving);
  hints::move(slices, giving, receiving, put.by_zone);
  return put;
}

}  // namespace proa::controllers
