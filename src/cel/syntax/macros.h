#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cel/syntax/ast.h"

namespace proa::cel {

// Which syntax and macros there are: they depend on the Kubernetes version.
struct SyntaxOptions {
  bool optionals = true;           // a.?b, a[?b], [?a], {?a: b}, optMap, optFlatMap
  bool two_variable_loops = true;  // all(i, x, ...), transformList, transformMap, ...
  bool sort_by = true;             // list.sortBy(x, key)
  bool bindings = false;           // cel.bind(x, value, expression)
};

struct MacroError {
  uint32_t position = 0;
  std::string message;
};

// A call that is a macro, expanded; null if it is no macro. On failure, `error` is set, too.
Expr* expand_macro(AstFactory& factory, const SyntaxOptions& options, Expr* call,
                   std::optional<MacroError>& error);

}  // namespace proa::cel
