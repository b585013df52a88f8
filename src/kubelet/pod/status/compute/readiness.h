#pragma once

#include "api/object/edit.h"
#include "kubelet/pod/status/compute/status_inputs.h"

namespace proa::kubelet {

// Sets started and ready of the container statuses from probe results.
void write_readiness(const StatusInputs& inputs, api::Edit status);

}  // namespace proa::kubelet
