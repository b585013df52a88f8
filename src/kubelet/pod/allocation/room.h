#pragma once

#include "kubelet/pod/allocation/admit.h"

namespace proa::kubelet {

// Whether the node has room for the pod beside the others: a number of pods, cpu, memory and so on.
Refusal check_room(const Pod& pod, api::View node, const std::vector<PodPtr>& others);

// Whether the ports of the node that it wants are free.
Refusal check_ports(const Pod& pod, const std::vector<PodPtr>& others);

}  // namespace proa::kubelet
