#pragma once

#include <string_view>

#include "api/schema/schema.h"

namespace proa::scheduler {

inline constexpr std::string_view kConfigGroup = "kubescheduler.config.k8s.io";
inline constexpr std::string_view kConfigVersion = "kubescheduler.config.k8s.io/v1";

// The kinds of a scheduler's configuration file: KubeSchedulerConfiguration, and the args of
// plugins
// ("NodeAffinityArgs"). Parsed once, on first use.
const api::Schema& config_schema();

}  // namespace proa::scheduler
