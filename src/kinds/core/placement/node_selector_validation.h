#pragma once

#include "kinds/checks/fields.h"

namespace proa::kinds::pods {

// A NodeSelector: of pods, volumes and devices.
void validate_node_selector(View selector, const Path& path, FieldErrors& errors);
// A NodeSelectorTerm that is only preferred: values that no label can have are accepted.
void validate_preferred_node_term(View term, const Path& path, FieldErrors& errors);

}  // namespace proa::kinds::pods
