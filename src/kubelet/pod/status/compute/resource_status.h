#pragma once

#include "api/object/edit.h"
#include "kubelet/pod/status/compute/status_inputs.h"

namespace proa::kubelet {

// resources and allocatedResources of a container status: from its spec, and if it runs, from what
// the runtime enforces. `told`: the resources last sent to the runtime; null if unknown.
void write_container_resources(api::View container, const cri::Container& running,
                               const ContainerBounds* told, api::Edit status);

// resources and allocatedResources of a pod status: the sums of its containers.
void write_pod_resources(const StatusInputs& inputs, api::Edit status);

}  // namespace proa::kubelet
