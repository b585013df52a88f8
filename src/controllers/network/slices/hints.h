#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "controllers/network/slices/packing.h"
#include "controllers/network/slices/zones.h"

// Topology hints: clients of which zone or node should use an endpoint.

namespace proa::controllers {

// Whether a service's trafficDistribution requests hints.
bool asks_for_hints(std::string_view traffic_distribution);

// Assigns every ready endpoint to its own zone, and with PreferSameNode to its own node. REQUIRES:
// asks_for_hints(), and the endpoints have no hints.
void put_distribution_hints(std::span<SliceEndpoint> endpoints,
                            std::string_view traffic_distribution);

// The number of endpoints that a zone gets.
struct ZoneAllocation {
  int minimum = 0;
  int maximum = 0;
  double desired = 0;
};
struct ZoneAllocations {
  std::map<std::string_view, ZoneAllocation> zones = {};  // names point into the ratios
  std::string problem = {};  // not empty: why there are none, in upstream's words
};
ZoneAllocations allocate_zones(const std::optional<ZoneRatios>& ratios, int endpoints);

// A slice of a service and family, and its previous version.
struct SliceToHint {
  PackedSlice* slice;
  const SliceFacts* before;  // null: new slice
};
struct TopologyHints {
  ZoneCounts by_zone = {};
  std::string problem = {};  // not empty: why there are none, in upstream's words
};
// Distributes endpoints to zones in proportion to their CPUs: a zone's own endpoints first, then
// some of other zones. Slices are changed only if necessary. Hints point into the text of endpoints
// and ratios.
TopologyHints put_topology_hints(std::span<const SliceToHint> slices,
                                 const std::optional<ZoneRatios>& ratios);

}  // namespace proa::controllers
