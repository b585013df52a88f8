#pragma once

#include "kinds/checks/fields.h"
#include "kinds/core/pods/spec/context.h"

namespace proa::kinds::pods {

// spec.volumes. Those without mistakes are noted in `pod`, for the mounts.
void validate_volumes(PodContext& pod, const Path& path, FieldErrors& errors);

}  // namespace proa::kinds::pods
