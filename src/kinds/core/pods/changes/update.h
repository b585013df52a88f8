#pragma once

#include "kinds/checks/fields.h"

namespace proa::kinds::pods {

// Which parts of a pod may change, and how.
void validate_pod_update(View pod, View old, FieldErrors& errors);

}  // namespace proa::kinds::pods
