#pragma once

#include "kubelet/model/pod.h"

namespace proa::kubelet {

// How willingly the kernel kills the processes of a container when memory runs out, from -997
// (guaranteed pods and those that the node needs) to 1000 (those that asked for nothing). Between
// them: the more memory a container asked for, the later it is its turn. `memory_bytes`: what the
// machine has.
int64_t oom_adjustment(const Pod& pod, api::View container, int64_t memory_bytes);

}  // namespace proa::kubelet
