#include <algorithm>

#include "cel/cost/call_estimate.h"
#include "cel/cost/rules.h"

namespace proa::cel {
namespace list_cost_estimate {

Range size(const CostNode& node, const SizeOf& size_of) {
  return node.size ? *node.size : size_of(node.path.names()).value_or(Range::unknown());
}

uint64_t literal_or(const CostNode& node, uint64_t otherwise) {
  if (!node.expr->is(ExprKind::kLiteral) || !node.expr->literal.is(ValueKind::kInt)) {
    return otherwise;
  }
  return static_cast<uint64_t>(std::max<int64_t>(0, node.expr->literal.as_int()));
}

// A call that makes a list of that size.
CallEstimate new_list(double factor, const Range& list) {
  return {.cost = list.scaled(factor).plus(Range::of(1)).plus(Range::of(kListCost)),
          .result_size = list};
}

// Each element is compared with each.
CallEstimate comparisons(const CostNode& node, const SizeOf& size_of, bool text) {
  const Range list = size(node, size_of);
  return new_list(text ? 2 + kTraversalFactor : 2, list.times(list));
}

}  // namespace list_cost_estimate

std::optional<CallEstimate> estimate_list_call(const EstimatedCall& call, const SizeOf& size_of) {
  using namespace list_cost_estimate;
  const std::string_view overload = call.overload;
  const CostRule rule = cost_rule(call.function, overload);
  if (rule == CostRule::kSetProduct || rule == CostRule::kSetProductTwice) {
    const Range product = size(call.args[0], size_of).times(size(call.args[1], size_of));
    const double factor = rule == CostRule::kSetProduct ? 1 : 2;
    return CallEstimate{.cost = product.scaled(factor).plus(Range::of(1))};
  }
  if (overload == "lists_range") {
    return new_list(1, Range::of(literal_or(call.args[0], UINT64_MAX)));
  }
  if (call.target == nullptr) return std::nullopt;
  const bool text =
      overload.starts_with("list_string_sort") || overload.starts_with("list_bytes_sort");
  if (rule == CostRule::kCompareKeys) return comparisons(call.args[0], size_of, text);
  if (rule == CostRule::kCompareElements) return comparisons(*call.target, size_of, text);
  const Range list = size(*call.target, size_of);
  if (overload == "list_slice") {
    // Upstream lets this difference wrap.
    const uint64_t start = literal_or(call.args[0], 0);
    return new_list(1, Range::of(literal_or(call.args[1], list.max) - start));
  }
  if (overload == "list_reverse") return new_list(1, list);
  if (rule == CostRule::kFlatten) {
    const uint64_t depth = call.args.empty() ? 1 : literal_or(call.args[0], UINT64_MAX);
    return new_list(static_cast<double>(depth), list);
  }
  return std::nullopt;
}

}  // namespace proa::cel
