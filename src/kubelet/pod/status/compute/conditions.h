#pragma once

#include "api/object/edit.h"
#include "kubelet/pod/status/compute/status_inputs.h"

namespace proa::kubelet {

// Whether kubelets alone say that condition of pods.
bool is_own_condition(std::string_view type);

// Conditions of a status that has its phase and its containers already: our own, and those of
// others as pod.status() has them. `old`: the status as it was; the times of conditions that stay
// what they were are its.
void write_conditions(const StatusInputs& inputs, api::View old, api::Edit status);

// A pod that is over is not ready, whatever was computed before.
void end_readiness(const Pod& pod, api::Edit status, api::View old, Time now);

}  // namespace proa::kubelet
