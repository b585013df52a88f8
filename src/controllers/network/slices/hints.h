#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "controllers/network/slices/packing.h"
#include "controllers/network/slices/zones.h"

// Which clients an endpoint is meant for, where not for all: those of its zone, or of its node.

namespace proa::controllers {

// Whether a service's trafficDistribution is one that asks for hints.
bool asks_for_hints(std::string_view traffic_distribution);

// Every ready endpoint is for its own zone, and with PreferSameNode for its own node.
// REQUIRES: asks_for_hints(), and the endpoints have none yet.
void put_distribution_hints(std::span<SliceEndpoint> endpoints,
                            std::string_view traffic_distribution);

// How many endpoints a zone gets.
struct ZoneAllocation {
  int minimum = 0;
  int maximum = 0;
  double desired = 0;
};
struct ZoneAllocations {
  std::map<std::string_view, ZoneAllocation> zones = {};  // names are those of the ratios
  std::string problem = {};  // not empty: why there are none, in upstream's words
};
ZoneAllocations allocate_zones(const std::optional<ZoneRatios>& ratios, int endpoints);

// A slice of a service and of one family, and what it was.
struct SliceToHint {
  PackedSlice* slice;
  const SliceFacts* before;  // null: a new one
};
struct TopologyHints {
  ZoneCounts by_zone = {};
  std::string problem = {};  // not empty: why there are none, in upstream's words
};
// Gives each zone endpoints by the processors it has: those of its own, and if these are too few,
// some of others. Slices that need not change for that stay as they are. Hints name zones in the
// text of endpoints and ratios.
TopologyHints put_topology_hints(std::span<const SliceToHint> slices,
                                 const std::optional<ZoneRatios>& ratios);

}  // namespace proa::controllers
