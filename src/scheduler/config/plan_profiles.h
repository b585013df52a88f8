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

// Which plugins are asked where, and in which order, for the pods of one scheduler name.
struct ProfilePlan {
  std::string scheduler_name = {};
  int32_t percentage_of_nodes_to_score = 0;  // zero: as the size of the cluster has it
  PerPoint<std::vector<PlannedPlugin>> at = {};
};

// The plugins that a profile needs at any point, each once: those that are to be made.
std::vector<std::string> needed_plugins(const ProfileConfig& profile);

// Upstream's rules (NewFramework): what is said of a point goes before what is said of all of them;
// a plugin that both speak of stands where the point says. kInvalid says what is wrong with the
// first profile that can't be had. `known`: all plugins that there are.
Result<std::vector<ProfilePlan>> plan_profiles(const SchedulerConfig& config,
                                               std::span<const PluginPoints> known);

}  // namespace proa::scheduler
