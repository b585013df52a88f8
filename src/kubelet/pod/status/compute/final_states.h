#pragma once

#include "api/object/edit.h"
#include "kubelet/model/pod.h"

namespace proa::kubelet {

// Finalizes the status of a pod that no longer runs: containers whose exit was not observed count
// as failed, and so does a pod that is neither Succeeded nor Failed.
void write_final_states(const Pod& pod, api::Edit status);

}  // namespace proa::kubelet
