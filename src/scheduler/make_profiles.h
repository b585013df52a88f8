#pragma once

#include <memory>
#include <span>
#include <vector>

#include "scheduler/config/scheduler_config.h"
#include "scheduler/framework/context.h"
#include "scheduler/framework/profile.h"

namespace proa::scheduler {

// Makes the plugins that a configuration asks for, out of the table, and puts them to their points.
// Fails with what is wrong with the configuration or with args of a plugin.
Result<std::vector<std::unique_ptr<Profile>>> make_profiles(const SchedulerConfig& config,
                                                            std::span<const PluginEntry> table,
                                                            const PluginContext& context);

}  // namespace proa::scheduler
