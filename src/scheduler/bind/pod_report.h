#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "client/client.h"
#include "scheduler/model/pod.h"

namespace proa::scheduler {

// The status of a pod after a failed attempt.
struct PodReport {
  std::string reason = {};  // Unschedulable or SchedulerError; empty: condition unchanged
  std::string message = {};
  std::optional<api::NodeName> nominated_node = std::nullopt;  // nullopt: unchanged
};

// The patch of pods/status for the report; empty if the status already matches.
std::string report_patch(const Pod& pod, const PodReport& report, Time now);

}  // namespace proa::scheduler
