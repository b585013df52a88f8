#pragma once

#include "kinds/rules.h"

namespace proa::kinds::crd {

// CustomResourceDefinitionNames, of the spec or accepted ones; what is empty passes.
void validate_names(View names, const api::Path& path, api::FieldErrors& errors);

}  // namespace proa::kinds::crd
