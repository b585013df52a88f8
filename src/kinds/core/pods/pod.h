#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

KindRules pod_rules();

}  // namespace proa::kinds

namespace proa::kinds::pods {

// What holds for a pod whoever changes it, by whichever way.
void validate_pod(View pod, api::FieldErrors& errors);

}  // namespace proa::kinds::pods
