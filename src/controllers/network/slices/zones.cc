#include "controllers/network/slices/zones.h"

#include <cmath>

#include "api/object/view.h"
#include "api/quantity.h"
#include "controllers/framework/conditions.h"

namespace proa::controllers {
namespace zones {

// How much more than its share of traffic an endpoint may get.
constexpr double kOverload = 0.2;

struct Capacity {
  bool ready = false;
  int64_t milli_cpu = 0;
  bool operator==(const Capacity&) const = default;
};

const Capacity& capacity_of(const api::Object& node) {
  return node.kept<Capacity>([&] {
    Capacity capacity;
    const Result<json::Document> document = node.document();
    if (!document) return capacity;
    const api::View status = api::View(document->root())["status"];
    capacity.ready = condition_holds(status, "Ready");
    const Result<api::Quantity> cpu = api::Quantity::parse(status["allocatable"]["cpu"].text());
    if (cpu) capacity.milli_cpu = cpu->milli_value();
    return capacity;
  });
}

std::string_view zone_of(const api::Object& node) {
  const std::string_view* zone = node.metadata().label(kZoneLabel);
  return zone == nullptr ? std::string_view() : *zone;
}

bool is_control_plane(const api::Object& node) {
  return node.metadata().label("node-role.kubernetes.io/control-plane") != nullptr ||
         node.metadata().label("node-role.kubernetes.io/master") != nullptr;
}

}  // namespace zones

std::optional<ZoneRatios> zone_ratios(std::span<const api::ObjectPtr> nodes) {
  std::map<std::string, int64_t> by_zone;
  int64_t all = 0;
  for (const api::ObjectPtr& node : nodes) {
    const zones::Capacity& capacity = zones::capacity_of(*node);
    if (zones::is_control_plane(*node) || !capacity.ready) continue;
    const std::string_view zone = zones::zone_of(*node);
    if (zone.empty() || capacity.milli_cpu == 0) return std::nullopt;
    by_zone[std::string(zone)] += capacity.milli_cpu;
    all += capacity.milli_cpu;
  }
  if (by_zone.size() < 2) return std::nullopt;
  ZoneRatios ratios;
  for (const auto& [zone, cpu] : by_zone) {
    ratios[zone] = static_cast<double>(cpu) / static_cast<double>(all);
  }
  return ratios;
}

bool is_same_capacity(const api::Object& before, const api::Object& after) {
  return zones::zone_of(before) == zones::zone_of(after) &&
         zones::is_control_plane(before) == zones::is_control_plane(after) &&
         zones::capacity_of(before) == zones::capacity_of(after);
}

int fewest_endpoints(double share) {
  return static_cast<int>(std::ceil(share * (1 / (1 + zones::kOverload))));
}

bool is_overloaded(const ZoneCounts& counts, const std::optional<ZoneRatios>& ratios) {
  if (counts.empty()) return false;
  if (!ratios) return true;
  int all = 0;
  for (const auto& [zone, count] : counts) all += count;
  for (const auto& [zone, ratio] : *ratios) {
    const auto found = counts.find(zone);
    if (found == counts.end() || found->second < fewest_endpoints(all * ratio)) return true;
  }
  return false;
}

}  // namespace proa::controllers
