#pragma once

#include "api/structure/structure.h"
#include "api/validation/field_errors.h"
#include "base/cost/budget.h"
#include "json/value.h"

namespace proa::custom {

// Validates apiVersion, kind and metadata of embedded resources (upstream's objectmeta.Validate).
// `is_resource`: also those of the value itself.
void validate_embedded(const json::Value& value, const api::Structure& structure, bool is_resource,
                       const api::Path& path, Budget& budget, api::FieldErrors& errors);

}  // namespace proa::custom
