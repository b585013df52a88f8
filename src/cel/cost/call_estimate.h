#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "cel/cost/estimate.h"

namespace proa::cel {

using Path = std::vector<std::string_view>;

// An argument of a call whose cost is estimated.
struct CostNode {
  const Expr* expr = nullptr;
  const Type* type = nullptr;
  Path path;                  // empty: it does not lie in a variable
  std::optional<Range> size;  // where it follows from the expression
};

struct CallEstimate {
  Range cost;
  std::optional<Range> result_size;
};

struct EstimatedCall {
  std::string_view function;
  std::string_view overload;
  const CostNode* target = nullptr;
  std::span<const CostNode> args;
};

// The cost of a call of cel-go's libraries of lists and sets, without that of its arguments.
std::optional<CallEstimate> estimate_list_call(const EstimatedCall& call, const SizeOf& size_of);

// The cost of a call of Kubernetes' libraries, without that of its arguments; nullopt for other
// functions.
std::optional<CallEstimate> estimate_kubernetes_call(const EstimatedCall& call,
                                                     const SizeOf& size_of);

}  // namespace proa::cel
