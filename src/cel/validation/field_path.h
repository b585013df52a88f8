#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cel/types/shape.h"

namespace proa::cel {

// The names of a path of fields: ".spec['a.b']" has "spec" and "a.b".
class FieldPathSteps {
 public:
  // `brackets`: whether names may be quoted in them. REQUIRES: the path outlives this.
  explicit FieldPathSteps(std::string_view path, bool brackets = true)
      : rest_(path), brackets_(brackets) {}

  // Nullopt at the end, and where the path is malformed.
  std::optional<std::string> next();
  // In the words of upstream's ValidFieldPath; empty: none so far.
  const std::string& error() const { return error_; }

 private:
  std::optional<std::string> quoted();
  std::nullopt_t fail(std::string error);

  std::string_view rest_;
  bool brackets_;
  std::string error_;
};

// The fieldPath of a rule (".spec['a.b']") as a path of fields: "spec.a.b". Nullopt if it is
// malformed, or the schema has no such field: upstream's ValidFieldPath.
std::optional<std::string> normalized_field_path(std::string_view path, const Shape& shape);

}  // namespace proa::cel
