#pragma once

#include "kubelet/node/node_agent.h"
#include "kubelet/pods/object_source.h"
#include "kubelet/pods/pod.h"

namespace proa::kubelet {

// Which of the runtime's ways to run pods a pod's RuntimeClass names; empty without one.
Result<std::string> runtime_handler_of(ObjectSource& objects, const Pod& pod);

// Whether what runs the pod can mount read-only with all mounts below. False where nobody asks.
bool mounts_recursively(ObjectSource& objects, const NodeAgent& node, const Pod& pod);

}  // namespace proa::kubelet
