#pragma once

#include "api/structure/structure.h"
#include "api/validation/field_errors.h"
#include "json/value.h"

namespace proa::custom {

// Items of sets, and keys of lists that are maps, must be unique (upstream's
// ValidateListSetsAndMaps).
void validate_list_types(const json::Value& object, const api::Structure& structure,
                         api::FieldErrors& errors);
// Whether validate_list_types() finds nothing.
bool has_valid_lists(const json::Value& object, const api::Structure& structure);

}  // namespace proa::custom
