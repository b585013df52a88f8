#pragma once

#include "kinds/checks/fields.h"
#include "kinds/core/pods/spec/context.h"

namespace proa::kinds::pods {

// containers, initContainers and ephemeralContainers of a pod. `path` is the spec's.
void validate_containers(const PodContext& pod, const Path& path, FieldErrors& errors);

}  // namespace proa::kinds::pods
