#pragma once

#include "api/object/edit.h"
#include "kubelet/pod/status/compute/status_inputs.h"

namespace proa::kubelet {

// resources and allocatedResources of a container's status: what its spec says, and where it runs,
// what the runtime enforces. `told`: what the runtime was told to enforce; null where nobody knows.
void write_container_resources(api::View container, const cri::Container& running,
                               const ContainerBounds* told, api::Edit status);

// resources and allocatedResources of a pod's status: of all its containers together.
void write_pod_resources(const StatusInputs& inputs, api::Edit status);

}  // namespace proa::kubelet
