#include "dns/server/names/cluster_zones.h"

#include <algorithm>
#include <span>

namespace proa::dns {

ClusterZones::ClusterZones(const ClusterSettings& settings) {
  // The first is the domain.
  for (const std::string& text : std::span(settings.zones).subspan(1)) {
    auto zone = Zone::make({.domain = text, .ttl = settings.ttl});
    if (zone.ok()) reverse_.push_back(std::move(*zone));
  }
  std::ranges::sort(reverse_, std::greater<>(),
                    [](const Zone& zone) { return zone.name().size(); });
  for (const std::string& text : settings.fallthrough) {
    if (const auto name = Name::parse(text)) fallthrough_.push_back(*name);
  }
}

const Zone* ClusterZones::reverse_of(NameView name) const {
  const auto found =
      std::ranges::find_if(reverse_, [&](const Zone& zone) { return name.within(zone.name()); });
  return found == reverse_.end() ? nullptr : &*found;
}

bool ClusterZones::passes_on(NameView name) const {
  return std::ranges::any_of(fallthrough_, [&](const Name& zone) { return name.within(zone); });
}

}  // namespace proa::dns
