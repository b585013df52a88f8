#pragma once

#include <string_view>

#include "cel/syntax/ast.h"

namespace proa::cel {

// Whether a tree has `operand.field`, has(operand.field) or operand.?field somewhere, also in what
// macros made. An empty operand stands for every expression.
bool selects(const Expr& root, std::string_view operand, std::string_view field);

}  // namespace proa::cel
