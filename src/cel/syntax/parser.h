#pragma once

#include <string_view>

#include "cel/syntax/ast.h"
#include "cel/syntax/issues.h"
#include "cel/syntax/macros.h"

namespace proa::cel {

// Parses an expression and expands its macros. Null, and at least one issue, if it is malformed.
// The tree refers to the source, which must outlive it. Bounded: in code points of the source, and
// in the depth of the tree, so that code over trees may recurse.
Expr* parse(std::string_view source, const SyntaxOptions& options, AstFactory& factory,
            Issues& issues);

}  // namespace proa::cel
