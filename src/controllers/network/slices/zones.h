#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>

#include "api/object/object.h"

namespace proa::controllers {

// Which part of the cluster's processors each zone has; all parts together are one.
using ZoneRatios = std::map<std::string, double>;
// How many endpoints are meant for each zone.
using ZoneCounts = std::map<std::string, int>;

inline constexpr const char* kZoneLabel = "topology.kubernetes.io/zone";

// Of the nodes that are ready and don't run the control plane. Nullopt: one of them does not say
// its zone or its processors, or there is one zone only.
std::optional<ZoneRatios> zone_ratios(std::span<const api::ObjectPtr> nodes);

// Whether two states of a node count the same.
bool is_same_capacity(const api::Object& before, const api::Object& after);

// Whether a zone has so few endpoints that each of them has much more to do than those of other
// zones.
bool is_overloaded(const ZoneCounts& counts, const std::optional<ZoneRatios>& ratios);

// The fewest endpoints a zone with that share of them may have.
int fewest_endpoints(double share);

}  // namespace proa::controllers
