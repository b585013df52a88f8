#pragma once

#include "kinds/checks/fields.h"
#include "kinds/core/pods/spec/context.h"

namespace proa::kinds::pods {

// volumeMounts and volumeDevices of a container.
void validate_mounts(View container, const PodContext& pod, const Path& path, FieldErrors& errors);
void validate_devices(View container, const PodContext& pod, const Path& path, FieldErrors& errors);

}  // namespace proa::kinds::pods
