#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

// A TypedLocalObjectReference: {apiGroup, kind, name} in the same namespace.
void validate_typed_reference(View reference, const api::Path& path, api::FieldErrors& errors);

}  // namespace proa::kinds
