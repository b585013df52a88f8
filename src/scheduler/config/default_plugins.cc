#include "scheduler/config/default_plugins.h"

#include <algorithm>
#include <map>
#include <set>

#include "scheduler/plugins/table.h"

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

PluginSets default_plugins() {
  PluginSets sets;
  for (const PluginEntry& entry : plugin_table()) {
    if (!entry.is_default) continue;
    sets.multi_point.enabled.push_back({.name = std::string(entry.name), .weight = entry.weight});
  }
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
