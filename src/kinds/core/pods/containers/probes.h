#pragma once

#include "kinds/checks/fields.h"

namespace proa::kinds::pods {

// livenessProbe, readinessProbe, startupProbe and lifecycle of a container. `grace_period` is the
// pod's, which bounds the preStop hook.
void validate_probes(View container, View grace_period, const Path& path, FieldErrors& errors);

}  // namespace proa::kinds::pods
