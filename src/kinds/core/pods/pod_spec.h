#pragma once

#include "kinds/checks/fields.h"

namespace proa::kinds::pods {

// Validates a pod's spec. `metadata` is that of the pod; absent for templates, to which a few rules
// do not apply.
void validate_pod_spec(View spec, View metadata, const Path& path, FieldErrors& errors);

}  // namespace proa::kinds::pods
