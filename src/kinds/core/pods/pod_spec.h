#pragma once

#include "kinds/checks/fields.h"

namespace proa::kinds::pods {

// Everything that is wrong with a pod's spec. `metadata` is that of a pod; absent for templates, to
// which a few rules don't apply yet.
void validate_pod_spec(View spec, View metadata, const Path& path, FieldErrors& errors);

}  // namespace proa::kinds::pods
