#pragma once

#include <string_view>

#include "scheduler/config/scheduler_config.h"
#include "scheduler/explain/explanation.h"
#include "scheduler/scheduler.h"

namespace proa::scheduler {

// Explains why a pod is pending and what would help: lists the cluster once and evaluates the pod
// with the configuration's plugins. Read-only; takes as long as listing. kNotFound if the pod does
// not exist.
Result<Explanation> explain(const SchedulerContext& context, const SchedulerConfig& config,
                            std::string_view name_space, std::string_view name);

}  // namespace proa::scheduler
