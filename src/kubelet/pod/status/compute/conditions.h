#pragma once

#include "api/object/edit.h"
#include "kubelet/pod/status/compute/status_inputs.h"

namespace proa::kubelet {

// Whether only kubelets set that condition of pods.
bool is_own_condition(std::string_view type);

// Writes the conditions of a status that has its phase and container statuses: our own, and those
// of others from pod.status(). `old`: the previous status; unchanged conditions keep its times.
void write_conditions(const StatusInputs& inputs, api::View old, api::Edit status);

// A pod that has ended is not ready, whatever was computed before.
void end_readiness(const Pod& pod, api::Edit status, api::View old, Time now);

}  // namespace proa::kubelet
