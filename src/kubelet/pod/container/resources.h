#pragma once

#include "api/object/edit.h"
#include "kubelet/host/machine_facts.h"
#include "kubelet/model/pod.h"

namespace proa::kubelet {

// Fills in a LinuxContainerResources: CPU, memory, swap, huge pages, OOM score. A container without
// a limit gets the pod's.
void write_container_resources(const api::Edit& resources, const Pod& pod, api::View container,
                               const MachineFacts& machine);

// Fills in `resources` and `overhead` of a LinuxPodSandboxConfig. Runtimes with virtual machines
// use them; others use the pod's cgroup.
void write_sandbox_resources(const api::Edit& linux_config, api::View spec, bool cgroup_v2);

}  // namespace proa::kubelet
