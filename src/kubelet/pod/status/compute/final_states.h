#pragma once

#include "api/object/edit.h"
#include "kubelet/model/pod.h"

namespace proa::kubelet {

// Brings the status of a pod that nothing runs of any more to its end: containers whose end nobody
// saw count as failed, and so does a pod that is neither Succeeded nor Failed.
void write_final_states(const Pod& pod, api::Edit status);

}  // namespace proa::kubelet
