#pragma once

#include "api/object/edit.h"
#include "kubelet/pod/status/compute/status_inputs.h"

namespace proa::kubelet {

// Sets containerStatuses, initContainerStatuses and ephemeralContainerStatuses, without probe
// results. `old`: the previous status of the pod.
void write_container_statuses(const StatusInputs& inputs, api::View old, api::Edit status);

}  // namespace proa::kubelet
