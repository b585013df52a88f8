#pragma once

#include "kubelet/pod/allocation/admit.h"

namespace proa::kubelet {

// Whether the node has enough resources for the pod beside the others: pods, cpu, memory and so on.
Refusal check_resources(const Pod& pod, api::View node, const std::vector<PodPtr>& others);

// Whether its host ports are free.
Refusal check_ports(const Pod& pod, const std::vector<PodPtr>& others);

}  // namespace proa::kubelet
