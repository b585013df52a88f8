#pragma once

#include "kinds/checks/fields.h"
#include "kinds/core/pods/spec/context.h"

namespace proa::kinds::pods {

// Validates spec.volumes. Adds the valid ones to `pod`, for the mounts.
void validate_volumes(PodContext& pod, const Path& path, FieldErrors& errors);

}  // namespace proa::kinds::pods
