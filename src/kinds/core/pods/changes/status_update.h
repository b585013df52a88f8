#pragma once

#include "kinds/checks/fields.h"

namespace proa::kinds::pods {

// Rejects invalid changes of a pod's status.
void validate_pod_status_update(View pod, View old, FieldErrors& errors);

}  // namespace proa::kinds::pods
