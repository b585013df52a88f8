#pragma once

#include "api/schema/model.h"
#include "json/builder.h"

namespace proa::api {

// What upstream's structs print for what was not set.

// The zero value of a type: "" or 0 or null, or an object with the fields that are never left out.
void add_zero(json::Builder& builder, const Type& type);

// A field that was not set, with its key; nothing where it is left out.
void add_absent(json::Builder& builder, const Field& field);

// Whether a value of that form is a struct in upstream, which "omitempty" never leaves out.
bool is_struct(Form form);

}  // namespace proa::api
