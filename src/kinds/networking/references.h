#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

// {apiGroup, kind, name}: something in the same namespace, of whatever kind.
void validate_typed_reference(View reference, const api::Path& path, api::FieldErrors& errors);

}  // namespace proa::kinds
