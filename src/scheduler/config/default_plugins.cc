#include "scheduler/config/default_plugins.h"

#include <algorithm>
#include <map>
#include <set>

namespace proa::scheduler {
namespace default_plugins_of {

PluginSet merge(const PluginSet& defaults, const PluginSet& said) {
  PluginSet merged;
  merged.disabled = said.disabled;
  merged.disabled.insert(merged.disabled.end(), defaults.disabled.begin(), defaults.disabled.end());
  const std::set<std::string_view> disabled(merged.disabled.begin(), merged.disabled.end());

  std::map<std::string_view, size_t> last_said;
  for (size_t i = 0; i < said.enabled.size(); ++i) last_said[said.enabled[i].name] = i;
  std::set<size_t> in_place;
  if (!disabled.contains("*")) {
    for (const PluginChoice& one : defaults.enabled) {
      if (disabled.contains(one.name)) continue;
      const auto again = last_said.find(one.name);
      if (again == last_said.end()) {
        merged.enabled.push_back(one);
      } else {
        merged.enabled.push_back(said.enabled[again->second]);
        in_place.insert(again->second);
      }
    }
  }
  for (size_t i = 0; i < said.enabled.size(); ++i) {
    if (!in_place.contains(i)) merged.enabled.push_back(said.enabled[i]);
  }
  return merged;
}

}  // namespace default_plugins_of

// Upstream's list without DynamicResources and NodeDeclaredFeatures, which we don't have.
PluginSets default_plugins() {
  PluginSets sets;
  sets.multi_point.enabled = {
      {.name = "SchedulingGates"},
      {.name = "PrioritySort"},
      {.name = "NodeUnschedulable"},
      {.name = "NodeName"},
      {.name = "TaintToleration", .weight = 3},
      {.name = "NodeAffinity", .weight = 2},
      {.name = "NodePorts"},
      {.name = "NodeResourcesFit", .weight = 1},
      {.name = "VolumeRestrictions"},
      {.name = "NodeVolumeLimits"},
      {.name = "VolumeBinding"},
      {.name = "VolumeZone"},
      {.name = "PodTopologySpread", .weight = 2},
      {.name = "InterPodAffinity", .weight = 2},
      {.name = "DefaultPreemption"},
      {.name = "NodeResourcesBalancedAllocation", .weight = 1},
      {.name = "ImageLocality", .weight = 1},
      {.name = "DefaultBinder"},
  };
  return sets;
}

PluginSets merge_plugins(const PluginSets& defaults, const PluginSets& said) {
  PluginSets merged;
  merged.multi_point = default_plugins_of::merge(defaults.multi_point, said.multi_point);
  for (const PointName& name : kPoints) {
    merged.at[name.point] = default_plugins_of::merge(defaults.at[name.point], said.at[name.point]);
  }
  return merged;
}

}  // namespace proa::scheduler
