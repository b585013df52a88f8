#pragma once

#include "custom/formats/patterns.h"
#include "kinds/rules.h"

namespace proa::kinds::crd {

// Of schemas that are validated.
custom::Patterns& definition_patterns();

// A schema is structural if it states the type of every value outside of allOf, anyOf, oneOf and
// not, which only restrict it further. Only such schemas can prune and default objects.
// REQUIRES: structural_failure() finds nothing.
void validate_structural(View schema, const api::Path& path, api::FieldErrors& errors);

// What has no place in a structural schema, in a schema and those in it, in the words of upstream's
// NewStructural; empty: nothing. It looks no further at such a schema.
std::string structural_failure(View schema);
// Of the schema alone.
std::string own_structural_failure(View schema);

}  // namespace proa::kinds::crd
