#pragma once

#include "kinds/checks/fields.h"

namespace proa::kinds::pods {

// Changes to a pod's status that should not happen.
void validate_pod_status_update(View pod, View old, FieldErrors& errors);

}  // namespace proa::kinds::pods
