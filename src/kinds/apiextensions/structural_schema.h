#pragma once

#include "kinds/rules.h"

namespace proa::kinds::crd {

// A schema is structural if it states the type of every value outside of allOf, anyOf, oneOf and
// not, which only restrict it further. Only such schemas can prune and default objects.
void validate_structural(View schema, const api::Path& path, api::FieldErrors& errors);

}  // namespace proa::kinds::crd
