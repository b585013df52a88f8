#pragma once

#include "json/value.h"
#include "scheduler/config/scheduler_config.h"

namespace proa::scheduler {

// The configuration as a KubeSchedulerConfiguration (kubescheduler.config.k8s.io/v1), which
// read_config() reads as the same. Plugins are those in force, merged with the defaults; args are
// those of the file.
json::Document config_document(const SchedulerConfig& config);

}  // namespace proa::scheduler
