#pragma once

#include "api/validation/field_errors.h"
#include "scheduler/config/scheduler_config.h"

namespace proa::scheduler {

// All that is wrong with a configuration, in upstream's words. What plugins think of their args
// they say themselves when they are made.
void validate_config(const SchedulerConfig& config, api::FieldErrors& errors);

}  // namespace proa::scheduler
