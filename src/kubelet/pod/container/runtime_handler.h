#pragma once

#include <functional>

#include "kubelet/model/object_source.h"
#include "kubelet/model/pod.h"

namespace proa::kubelet {

// Which of the runtime's ways to run pods a pod's RuntimeClass names; empty without one.
Result<std::string> runtime_handler_of(ObjectSource& objects, const Pod& pod);

// Whether what runs the pod can mount read-only with all mounts below. False where nobody asks.
// `handler_can`: whether that handler of the runtime can.
bool mounts_recursively(ObjectSource& objects,
                        const std::function<bool(const std::string& handler)>& handler_can,
                        const Pod& pod);

}  // namespace proa::kubelet
