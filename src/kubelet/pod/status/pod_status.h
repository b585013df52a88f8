#pragma once

#include "kubelet/pod/status/compute/status_inputs.h"

namespace proa::kubelet {

// The status of a pod as upstream computes it, all of it: phase, conditions (times of transitions
// are kept), addresses, container statuses, qosClass, startTime, observedGeneration. A document of
// type PodStatus.
json::Document compute_status(const StatusInputs& inputs);

// The status of a pod that this node refused (see admit/): it failed, and nothing else is said.
json::Document refused_status(const Pod& pod, std::string_view reason, std::string_view message,
                              Time now);

// "Pending", "Running", "Succeeded", "Failed" of such a document.
std::string_view phase_of(const json::Document& status);

}  // namespace proa::kubelet
