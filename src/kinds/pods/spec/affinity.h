#pragma once

#include "kinds/pods/spec/checks.h"

namespace proa::kinds::pods {

void validate_affinity(View affinity, const Path& path, FieldErrors& errors);
void validate_topology_spread(View constraints, const Path& path, FieldErrors& errors);

// A NodeSelector: of pods, and of volumes that only some nodes reach.
void validate_node_selector(View selector, const Path& path, FieldErrors& errors);

}  // namespace proa::kinds::pods
