#pragma once

#include "api/apply/fields/field_set.h"
#include "api/apply/fields/place.h"
#include "json/value.h"

namespace proa::api {

// A deep copy of the value in the arena, without the fields and items of the set (upstream's
// TypedValue.RemoveItems). A list or map that loses all is null, as is an atomic one with paths
// below it.
json::Value remove_fields(const json::Value& value, const FieldSet& set, Place place,
                          json::Arena& arena);

}  // namespace proa::api
