#pragma once

#include <memory>
#include <span>
#include <vector>

#include "scheduler/config/scheduler_config.h"
#include "scheduler/framework/context.h"
#include "scheduler/framework/profile.h"

namespace proa::scheduler {

// Creates the plugins of a configuration from the table and assigns them to their extension points.
// Fails if the configuration or args of a plugin are invalid.
Result<std::vector<std::unique_ptr<Profile>>> make_profiles(const SchedulerConfig& config,
                                                            std::span<const PluginEntry> table,
                                                            const PluginContext& context);

}  // namespace proa::scheduler
