#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>

#include "api/object/object.h"

namespace proa::controllers {

// The share of the cluster's CPUs of each zone; the sum is one.
using ZoneRatios = std::map<std::string, double>;
// The number of endpoints per zone.
using ZoneCounts = std::map<std::string, int>;

inline constexpr const char* kZoneLabel = "topology.kubernetes.io/zone";

// Computed from ready nodes outside of the control plane. Nullopt if a node has no zone or CPUs, or
// there is only one zone.
std::optional<ZoneRatios> zone_ratios(std::span<const api::ObjectPtr> nodes);

// Whether two versions of a node are equal for this purpose.
bool is_same_capacity(const api::Object& before, const api::Object& after);

// Whether a zone has so few endpoints that each would be overloaded.
bool is_overloaded(const ZoneCounts& counts, const std::optional<ZoneRatios>& ratios);

// The minimum number of endpoints of a zone with that share.
int fewest_endpoints(double share);

}  // namespace proa::controllers
