#pragma once

#include "api/object/edit.h"
#include "kubelet/host/machine_facts.h"
#include "kubelet/model/pod.h"

namespace proa::kubelet {

// Fills in a LinuxContainerResources: processors, memory, swap, huge pages, and who is killed first
// when memory runs out. What a container does not bound is bounded by its pod.
void write_container_resources(const api::Edit& resources, const Pod& pod, api::View container,
                               const MachineFacts& machine);

// Fills in `resources` and `overhead` of a LinuxPodSandboxConfig: what virtual machines are made
// for. Other runtimes go by the cgroup of the pod.
void write_sandbox_resources(const api::Edit& linux_config, api::View spec, bool cgroup_v2);

}  // namespace proa::kubelet
