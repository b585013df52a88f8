#pragma once

#include <span>
#include <string>
#include <string_view>

#include "api/object/view.h"
#include "api/schema/model.h"

// Values as upstream prints them in messages. It validates internal types, which have no JSON
// names: fields are called as in Go, and all of them are there, {"Key":"a","TimeAdded":null}. Types
// of metav1 and strings, numbers and lists of these look as in JSON. Values that would become
// enormous stay as they are.

namespace proa::api {

// As Go's json.Marshal. `shape`: whether the value is one of that type, or a list or map of them.
std::string go_form(View value, const Type& type, Shape shape = Shape::kSingle);
// As json.MarshalIndent, with one space per level. `only`: these fields, as for a struct that is
// embedded; empty: all.
std::string go_form_lines(View value, const Type& type,
                          std::span<const std::string_view> only = {});

}  // namespace proa::api
