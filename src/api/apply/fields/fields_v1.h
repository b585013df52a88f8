#pragma once

#include <string>

#include "api/apply/fields/field_set.h"
#include "base/result.h"
#include "json/value.h"

// The wire form of field sets, in metadata.managedFields[].fieldsV1: an object per level, with a
// key per element; `.` says that the path ends here, too.

namespace proa::api {

// Elements of unknown kinds are dropped. Failures are kBadRequest. Borrows from the value, which
// outlives the set.
Result<FieldSet> parse_fields_v1(const json::Value& fields, json::Arena& arena);

// Canonical, as upstream prints it. The texts are copied into the arena.
json::Value to_fields_v1(const FieldSet& set, json::Arena& arena);
// The same as text.
std::string print_fields_v1(const FieldSet& set);

// The same questions to the wire form, which is not parsed for it. REQUIRES: it is canonical.
// Whether it has one of the paths of the set.
bool has_any(const json::Value& fields, const FieldSet& set);
bool has_all(const json::Value& fields, const FieldSet& set);
// Removes the paths of the set from it; it stays canonical.
void remove_paths(json::Value& fields, const FieldSet& set);

}  // namespace proa::api
