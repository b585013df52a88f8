#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

// A list of metav1.Condition.
void validate_conditions(View conditions, const api::Path& path, api::FieldErrors& errors);

}  // namespace proa::kinds
