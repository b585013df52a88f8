#pragma once

#include "kinds/rules.h"

namespace proa::kinds::crd {

// CustomResourceDefinitionNames, of spec.names or status.acceptedNames. Empty names are accepted.
void validate_names(View names, const api::Path& path, api::FieldErrors& errors);

}  // namespace proa::kinds::crd
