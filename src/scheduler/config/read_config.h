#pragma once

#include <string_view>

#include "base/result.h"
#include "scheduler/config/scheduler_config.h"

namespace proa::scheduler {

// The configuration without a file.
SchedulerConfig default_config();

// Reads a KubeSchedulerConfiguration (kubescheduler.config.k8s.io/v1), YAML or JSON, and applies
// defaults. Unknown fields are refused, also in args of Kubernetes' own plugins; args of other
// plugins are kept unchecked. kBadRequest: cannot be parsed; kInvalid: lists all errors.
Result<SchedulerConfig> read_config(std::string_view text);

}  // namespace proa::scheduler
