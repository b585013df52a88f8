#pragma once

#include "api/schema/model.h"
#include "json/builder.h"

namespace proa::api {

// What upstream's structs print for unset fields.

// The zero value of a type: "", 0 or null, or an object with the fields that are never omitted.
void add_zero(json::Builder& builder, const Type& type);

// An unset field with its key; nothing if it is omitted.
void add_absent(json::Builder& builder, const Field& field);

// Whether values of that form are structs in upstream, which "omitempty" never omits.
bool is_struct(Form form);

}  // namespace proa::api
