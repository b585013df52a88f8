#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string_view>

#include "cel/cost/range.h"
#include "cel/syntax/ast.h"

namespace proa::cel {

// The size that a value can have that is reached by a path from a variable: field names, "@items",
// "@keys", "@values". Nullopt if it is not known.
using SizeOf = std::function<std::optional<Range>(std::span<const std::string_view> path)>;

// What an expression can cost, before any value is known: as cel-go's checker.Cost with Kubernetes'
// estimator. REQUIRES: a checked tree without issues.
Range estimate_cost(const Expr* root, const SizeOf& size_of);

}  // namespace proa::cel
