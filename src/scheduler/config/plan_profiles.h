#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "scheduler/config/scheduler_config.h"

namespace proa::scheduler {

struct PlannedPlugin {
  std::string name = {};
  int64_t weight = 0;  // only at kScore and kPlacementScore

  bool operator==(const PlannedPlugin&) const = default;
};

// The plugins of one scheduler name by extension point, in order.
struct ProfilePlan {
  std::string scheduler_name = {};
  int32_t percentage_of_nodes_to_score = 0;  // zero: adaptive to the cluster's size
  PerPoint<std::vector<PlannedPlugin>> at = {};
};

// The plugins that a profile uses at any extension point, each once.
std::vector<std::string> needed_plugins(const ProfileConfig& profile);

// Applies upstream's rules (NewFramework): plugins of a specific extension point come before those
// of multiPoint; a plugin in both is placed where the specific point lists it. kInvalid describes
// the first invalid profile. `known`: all existing plugins.
Result<std::vector<ProfilePlan>> plan_profiles(const SchedulerConfig& config,
                                               std::span<const PluginPoints> known);

}  // namespace proa::scheduler
