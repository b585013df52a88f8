#pragma once

#include <functional>

#include "kubelet/model/object_source.h"
#include "kubelet/model/pod.h"

namespace proa::kubelet {

// The runtime handler that a pod's RuntimeClass names; empty without one.
Result<std::string> runtime_handler_of(ObjectSource& objects, const Pod& pod);

// Whether the pod's runtime handler supports recursive read-only mounts. False if the pod has none.
// `handler_can`: whether a handler supports them.
bool mounts_recursively(ObjectSource& objects,
                        const std::function<bool(const std::string& handler)>& handler_can,
                        const Pod& pod);

}  // namespace proa::kubelet
