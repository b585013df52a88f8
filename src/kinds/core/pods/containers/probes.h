#pragma once

#include "kinds/checks/fields.h"

namespace proa::kinds::pods {

// livenessProbe, readinessProbe, startupProbe and lifecycle of a container. `grace_period` is the
// pod's: what is called before a container stops must be done by then.
void validate_probes(View container, View grace_period, const Path& path, FieldErrors& errors);

}  // namespace proa::kinds::pods
