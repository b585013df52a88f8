#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "client/client.h"
#include "scheduler/model/pod.h"

namespace proa::scheduler {

// What a pod's status is to say after an attempt that failed.
struct PodReport {
  std::string reason = {};  // Unschedulable or SchedulerError; empty: nothing of the condition
  std::string message = {};
  std::optional<std::string> nominated_node = std::nullopt;  // nullopt: as it is
};

// The patch of pods/status that says so; empty when the pod says it already.
std::string report_patch(const Pod& pod, const PodReport& report, Time now);

}  // namespace proa::scheduler
