#pragma once

#include <span>
#include <string>
#include <string_view>

#include "api/schema/model.h"

// How the fields of upstream's internal types differ from those of the API.

namespace proa::api {

// The name of a field in Go: "FSType" of "fsType".
std::string go_field_name(const Type& type, std::string_view field);
// The fields of the internal type in its order, if that is another one; empty: as in JSON. Those
// that are missing come last.
std::span<const std::string_view> go_field_order(const Type& type);
// Whether the internal type does not have the field.
bool is_missing_in_go(const Type& type, std::string_view field);
// Whether the internal type has a plain number where the API has a pointer.
bool is_plain_in_go(const Type& type, std::string_view field);

}  // namespace proa::api
