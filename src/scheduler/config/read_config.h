#pragma once

#include <string_view>

#include "base/result.h"
#include "scheduler/config/scheduler_config.h"

namespace proa::scheduler {

// What a scheduler without a file works with.
SchedulerConfig default_config();

// A KubeSchedulerConfiguration (kubescheduler.config.k8s.io/v1), YAML or JSON, with defaults filled
// in. Fields that there are not are refused, in the args of Kubernetes' own plugins too; args of
// others are kept as they are. kBadRequest: can't be read; kInvalid: names all that is wrong.
Result<SchedulerConfig> read_config(std::string_view text);

}  // namespace proa::scheduler
