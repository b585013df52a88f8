#pragma once

#include "kinds/rules.h"

namespace proa::kinds::crd {

// A schema is structural when it says for every value of which type it is, outside of allOf, anyOf,
// oneOf and not, which only restrict it further: then objects can be pruned and defaulted by it.
void validate_structural(View schema, const api::Path& path, api::FieldErrors& errors);

}  // namespace proa::kinds::crd
