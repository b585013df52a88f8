#pragma once

#include "kinds/checks/fields.h"

namespace proa::kinds::pods {

void validate_affinity(View affinity, const Path& path, FieldErrors& errors);
void validate_topology_spread(View constraints, const Path& path, FieldErrors& errors);

}  // namespace proa::kinds::pods
