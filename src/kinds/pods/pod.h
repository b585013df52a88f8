#pragma once

#include "kinds/rules.h"

namespace proa::kinds::pods {

KindRules pod_kind();

// What holds for a pod whoever changes it, by whichever way.
void validate_pod(View pod, api::FieldErrors& errors);

}  // namespace proa::kinds::pods
