#pragma once

#include "kinds/checks/fields.h"

namespace proa::kinds::pods {

void validate_tolerations(View tolerations, const Path& path, FieldErrors& errors);
void validate_readiness_gates(View gates, const Path& path, FieldErrors& errors);
void validate_scheduling_gates(View gates, const Path& path, FieldErrors& errors);
// spec.resourceClaims. Mirror pods (of static pods) cannot have any.
void validate_resource_claims(View claims, bool is_mirror, const Path& path, FieldErrors& errors);

}  // namespace proa::kinds::pods
