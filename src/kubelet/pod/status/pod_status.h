#pragma once

#include "kubelet/pod/status/compute/status_inputs.h"

namespace proa::kubelet {

// The complete status of a pod as upstream computes it: phase, conditions (with their transition
// times), addresses, container statuses, qosClass, startTime, observedGeneration. A document of
// type PodStatus.
json::Document compute_status(const StatusInputs& inputs);

// The status of a pod that this node refused (see pod/allocation/admit.h): Failed, with a reason
// and a message.
json::Document refused_status(const Pod& pod, std::string_view reason, std::string_view message,
                              Time now);

// The phase of such a document: "Pending", "Running", "Succeeded", "Failed".
std::string_view phase_of(const json::Document& status);

}  // namespace proa::kubelet
