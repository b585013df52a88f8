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
inline bool is_struct(Form form) { return form >= Form::kMessage && form != Form::kStrings; }

// Whether an unset field, if it is printed at all, is printed as null.
inline bool is_null_when_absent(const Field& field) {
  return field.pointer || field.shape != Shape::kSingle;
}

// Whether an unset field is not printed.
inline bool is_omitted_when_absent(const Field& field) {
  if (field.omit == Omit::kZero) return true;
  return field.omit == Omit::kEmpty && (is_null_when_absent(field) || !is_struct(field.type->form));
}

}  // namespace proa::api
