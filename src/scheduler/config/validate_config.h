#pragma once

#include "api/validation/field_errors.h"
#include "scheduler/config/scheduler_config.h"

namespace proa::scheduler {

// All errors of a configuration, with upstream's messages. Plugins validate their own args when
// they are created.
void validate_config(const SchedulerConfig& config, api::FieldErrors& errors);

}  // namespace proa::scheduler
