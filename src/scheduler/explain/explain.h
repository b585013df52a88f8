#pragma once

#include <string_view>

#include "scheduler/config/scheduler_config.h"
#include "scheduler/explain/explanation.h"
#include "scheduler/scheduler.h"

namespace proa::scheduler {

// Why that pod has no node, and what would change it: reads once what a scheduler of that
// configuration looks at, and asks its plugins. Changes nothing, and may take as long as listing
// takes. kNotFound when there is no such pod.
Result<Explanation> explain(const Surroundings& surroundings, const SchedulerConfig& config,
                            std::string_view name_space, std::string_view name);

}  // namespace proa::scheduler
