#pragma once

#include "kubelet/model/pod.h"

namespace proa::kubelet {

// The OOM score adjustment of a container: from -997 (guaranteed and node-critical pods) to 1000
// (best-effort pods). In between, a larger memory request gives a lower score. `memory_bytes`: of
// the machine.
int64_t oom_adjustment(const Pod& pod, api::View container, int64_t memory_bytes);

}  // namespace proa::kubelet
