#pragma once

#include "kinds/rules.h"

namespace proa::kinds::pods {

// Hooks that run before the validation of a pod.
void prepare_pod_create(api::Edit pod, const Writer& writer);
void prepare_pod_status_update(api::Edit pod, View old, const Writer& writer);

}  // namespace proa::kinds::pods
