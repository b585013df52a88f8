#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cel/types/shape.h"

namespace proa::cel {

// The fieldPath of a rule (".spec['a.b']") as a path of fields: "spec.a.b". Nullopt if it is
// malformed, or the schema has no such field: upstream's ValidFieldPath.
std::optional<std::string> normalized_field_path(std::string_view path, const Shape& shape);

}  // namespace proa::cel
