#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

KindRules pod_rules();

}  // namespace proa::kinds

namespace proa::kinds::pods {

// Validation for every way to write a pod.
void validate_pod(View pod, api::FieldErrors& errors);

}  // namespace proa::kinds::pods
