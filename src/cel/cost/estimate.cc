#include "cel/cost/estimate.h"

#include <map>
#include <vector>

#include "cel/cost/call_estimate.h"
#include "cel/cost/rules.h"
#include "cel/types/declarations.h"
#include "cel/values/text.h"

namespace proa::cel {
namespace estimation {

// The sizes of the keys and values of a list or map.
struct EntrySize {
  bool is_list = false;
  Range key;
  Range value;
};

struct Local {
  std::string_view name;
  Path path;
  std::optional<Range> size;
  std::optional<EntrySize> entries;
};

std::optional<Range> literal_size(const Expr* expr) {
  switch (expr->kind) {
    case ExprKind::kList:
      return Range::of(expr->args.size());
    case ExprKind::kMap:
      return Range::of(expr->entries.size());
    case ExprKind::kLiteral:
      break;
    default:
      return std::nullopt;
  }
  const Value& value = expr->literal;
  if (value.is(ValueKind::kString)) {
    return Range::of(static_cast<uint64_t>(code_point_count(value.text())));
  }
  if (value.is(ValueKind::kBytes)) return Range::of(value.text().size());
  return Range::of(1);
}

bool is_scalar(const Type& type) {
  switch (type.kind) {
    case TypeKind::kBool:
    case TypeKind::kDouble:
    case TypeKind::kDuration:
    case TypeKind::kInt:
    case TypeKind::kTimestamp:
    case TypeKind::kUint:
      return true;
    default:
      return is_optional(type) && !type.parameters.empty() && is_scalar(*type.parameters[0]);
  }
}

std::optional<EntrySize> joined(const std::optional<EntrySize>& a,
                                const std::optional<EntrySize>& b) {
  if (!a || !b) return std::nullopt;
  return EntrySize{
      .is_list = a->is_list, .key = a->key.joined(b->key), .value = a->value.joined(b->value)};
}

bool compares(std::string_view overload) {
  return cost_rule({}, overload) == CostRule::kSmallerOperand;
}

class Estimator {
 public:
  explicit Estimator(const SizeOf& size_of) : size_of_(size_of) {}

  Range cost(const Expr* expr) {
    switch (expr->kind) {
      case ExprKind::kLiteral:
        return {};
      case ExprKind::kIdent:
        return ident(expr);
      case ExprKind::kSelect:
        return select(expr);
      case ExprKind::kCall:
        return call(expr);
      case ExprKind::kList:
        return list(expr);
      case ExprKind::kMap:
        return map(expr);
      case ExprKind::kComprehension:
        return is_binding(expr) ? binding(expr) : loop(expr);
      case ExprKind::kStruct:
        break;
    }
    Range sum = Range::of(kStructCost);
    for (const MapItem& entry : expr->entries) sum = sum.plus(cost(entry.value));
    return sum;
  }

 private:
  const Local* local(std::string_view name) const {
    for (auto found = locals_.rbegin(); found != locals_.rend(); ++found) {
      if (found->name == name) return &*found;
    }
    return nullptr;
  }

  Path path(const Expr* expr) const {
    if (expr->is(ExprKind::kIdent)) {
      if (const Local* found = local(expr->name)) return found->path;
    }
    const auto found = paths_.find(expr);
    return found == paths_.end() ? Path() : found->second;
  }
  Path extended(const Expr* expr, std::string_view last) const {
    Path result = path(expr);
    result.append(last);
    return result;
  }

  std::optional<Range> size(const Expr* expr) {
    if (const auto known = sizes_.find(expr); known != sizes_.end()) return known->second;
    if (const std::optional<Range> literal = literal_size(expr)) return literal;
    if (const std::optional<Range> found = size_of_(path(expr).names())) {
      sizes_[expr] = *found;
      return found;
    }
    if (is_scalar(*expr->type)) return Range::of(1);
    if (expr->is(ExprKind::kIdent)) {
      if (const Local* found = local(expr->name)) return found->size;
    }
    return std::nullopt;
  }
  Range size_or_unknown(const Expr* expr) { return size(expr).value_or(Range::unknown()); }

  std::optional<EntrySize> entry_size(const Expr* expr) const {
    if (const auto known = entries_.find(expr); known != entries_.end()) return known->second;
    if (expr->is(ExprKind::kIdent)) {
      if (const Local* found = local(expr->name)) return found->entries;
    }
    return std::nullopt;
  }
  void set_entry_size(const Expr* expr, const std::optional<EntrySize>& entries) {
    if (entries) entries_[expr] = *entries;
  }

  CostNode node(const Expr* expr) {
    CostNode result{.expr = expr, .type = expr->type, .path = path(expr), .size = size(expr)};
    if (!result.path.empty() && result.path.front() == kAccumulator) result.path = {};
    return result;
  }

  Range ident(const Expr* expr) {
    const Local* found = local(expr->name);
    paths_[expr] = found != nullptr ? found->path : Path(expr->name);
    // The name of a type is looked up, too.
    return Range::of(kAttributeCost);
  }

  Range select(const Expr* expr) {
    Range sum = cost(expr->target);
    if (expr->test_only) return sum;
    const Type& target = *expr->target->type;
    if (target.is(TypeKind::kMap) || target.is(TypeKind::kStruct)) {
      sum = sum.plus(Range::of(kAttributeCost));
    }
    paths_[expr] = extended(expr->target, expr->name);
    return sum;
  }

  Range call(const Expr* expr) {
    if (expr->calls("dyn")) {
      const Range sum = cost(expr->args[0]).plus(Range::of(1));
      copy_sizes(expr, expr->args[0]);
      return sum;
    }
    std::vector<Range> arg_costs;
    std::vector<CostNode> args;
    for (const Expr* arg : expr->args) {
      arg_costs.push_back(cost(arg));
      args.push_back(node(arg));
    }
    if (expr->overloads.empty()) return {};
    Range sum;
    std::optional<CostNode> target;
    if (expr->target != nullptr) {
      sum = cost(expr->target);
      target = node(expr->target);
    }
    Range function{.min = UINT64_MAX, .max = 0};
    std::optional<Range> result;
    for (const Overload* overload : expr->overloads) {
      const EstimatedCall estimated{.function = expr->name,
                                    .overload = overload->id,
                                    .target = target ? &*target : nullptr,
                                    .args = args};
      const CallEstimate estimate = function_cost(expr, estimated, arg_costs);
      function = function.joined(estimate.cost);
      if (estimate.result_size) {
        result = result ? result->joined(*estimate.result_size) : *estimate.result_size;
      }
      track_index(expr, overload->id, result);
      if (!result) result = size(expr);
    }
    if (result) sizes_[expr] = *result;
    return sum.plus(function);
  }

  // Elements of lists and maps have paths and sizes of their own.
  void track_index(const Expr* expr, std::string_view overload, std::optional<Range>& result) {
    const bool is_list = overload == "index_list";
    if (!is_list && overload != "index_map") return;
    const std::optional<EntrySize> entries = entry_size(expr->args[0]);
    result = entries ? std::optional(entries->value) : std::nullopt;
    paths_[expr] = extended(expr->args[0], is_list ? "@items" : "@values");
  }

  void copy_sizes(const Expr* to, const Expr* from) {
    if (const std::optional<Range> known = size(from)) sizes_[to] = *known;
    set_entry_size(to, entry_size(from));
  }

  static Range node_size(const CostNode& node) { return node.size.value_or(Range::unknown()); }

  CallEstimate function_cost(const Expr* expr, const EstimatedCall& call,
                             std::span<const Range> arg_costs) {
    Range args;
    for (const Range& arg : arg_costs) args = args.plus(arg);
    std::optional<CallEstimate> estimate = estimate_list_call(call, size_of_);
    if (!estimate) estimate = estimate_kubernetes_call(call, size_of_);
    if (!estimate) estimate = text_cost(call);
    if (!estimate) estimate = operator_cost(expr, call);
    if (estimate) {
      estimate->cost = estimate->cost.plus(args);
      return *estimate;
    }
    if (call.overload == "logical_or" || call.overload == "logical_and") {
      const Range both = arg_costs[0].plus(arg_costs[1]);
      return {.cost = {.min = arg_costs[0].min, .max = both.max}};
    }
    if (call.overload == "conditional") {
      set_entry_size(expr, joined(entry_size(expr->args[1]), entry_size(expr->args[2])));
      return {.cost = arg_costs[0].plus(arg_costs[1].joined(arg_costs[2])),
              .result_size = node_size(call.args[1]).joined(node_size(call.args[2]))};
    }
    return {.cost = Range::of(1).plus(args)};
  }

  // Functions that read a text.
  static std::optional<CallEstimate> text_cost(const EstimatedCall& call) {
    const std::string_view overload = call.overload;
    if (overload == "string_format" && call.target != nullptr) {
      return CallEstimate{.cost = node_size(*call.target).scaled(kTraversalFactor)};
    }
    if (call.args.size() != 1) return std::nullopt;
    const Range text = node_size(call.args[0]);
    const Range traversal = text.scaled(kTraversalFactor);
    if (overload == "string_to_bytes") {
      // Upstream lets this product overflow.
      return CallEstimate{.cost = traversal,
                          .result_size = Range{.min = text.min, .max = text.max * 4}};
    }
    if (overload == "bytes_to_string") {
      return CallEstimate{.cost = traversal,
                          .result_size = Range{.min = text.min / 4, .max = text.max}};
    }
    if (overload == "strings_quote") {
      return CallEstimate{.cost = traversal,
                          .result_size = Range{.min = text.min + 2, .max = text.max * 2 + 2}};
    }
    if (overload == "starts_with_string" || overload == "ends_with_string") {
      return CallEstimate{.cost = traversal};
    }
    if (call.target == nullptr) return std::nullopt;
    const Range target = node_size(*call.target);
    if (overload == "matches_string") {
      return CallEstimate{
          .cost =
              target.plus(Range::of(1)).scaled(kTraversalFactor).times(text.scaled(kRegexFactor))};
    }
    if (overload == "contains_string") {
      return CallEstimate{.cost = target.scaled(kTraversalFactor).times(traversal)};
    }
    return std::nullopt;
  }

  std::optional<CallEstimate> operator_cost(const Expr* expr, const EstimatedCall& call) {
    if (call.args.size() != 2) return std::nullopt;
    const Range left = node_size(call.args[0]);
    const Range right = node_size(call.args[1]);
    const std::string_view overload = call.overload;
    if (overload == "in_list") return CallEstimate{.cost = right.scaled(1)};
    if (overload == "add_string" || overload == "add_bytes" || overload == "add_list") {
      set_entry_size(expr, joined(entry_size(expr->args[0]), entry_size(expr->args[1])));
      const Range sum = left.plus(right);
      return CallEstimate{
          .cost = overload == "add_list" ? Range::of(1) : sum.scaled(kTraversalFactor),
          .result_size = sum};
    }
    if (compares(overload)) {
      const uint64_t most = std::min(left.max, right.max);
      return CallEstimate{
          .cost = Range{.min = most > 0 ? 1U : 0U, .max = most}.scaled(kTraversalFactor)};
    }
    return std::nullopt;
  }

  Range list(const Expr* expr) {
    Range sum = Range::of(kListCost);
    Range items{.min = expr->args.empty() ? 0 : UINT64_MAX, .max = 0};
    for (const Expr* arg : expr->args) {
      sum = sum.plus(cost(arg));
      items = items.joined(size_or_unknown(arg));
    }
    entries_[expr] = EntrySize{.is_list = true, .key = Range::of(1), .value = items};
    return sum;
  }

  Range map(const Expr* expr) {
    Range sum = Range::of(kMapCost);
    EntrySize sizes;
    sizes.key.min = sizes.value.min = expr->entries.empty() ? 0 : UINT64_MAX;
    for (const MapItem& entry : expr->entries) {
      sum = sum.plus(cost(entry.key)).plus(cost(entry.value));
      sizes.key = sizes.key.joined(size_or_unknown(entry.key));
      sizes.value = sizes.value.joined(size_or_unknown(entry.value));
    }
    entries_[expr] = sizes;
    return sum;
  }

  // A name for a value: a loop over nothing.
  static bool is_binding(const Expr* expr) {
    const Comprehension& loop = *expr->loop;
    return loop.range->is(ExprKind::kList) && loop.range->args.empty() &&
           loop.condition->is(ExprKind::kLiteral) && loop.condition->literal.is_false() &&
           loop.accumulator != kAccumulator;
  }

  void push(std::string_view name, const Expr* value) {
    locals_.push_back(
        {.name = name, .path = path(value), .size = size(value), .entries = entry_size(value)});
  }

  Range binding(const Expr* expr) {
    const Comprehension& loop = *expr->loop;
    Range sum = cost(loop.range).plus(cost(loop.initial));
    push(loop.accumulator, loop.initial);
    sum = sum.plus(cost(loop.result));
    locals_.pop_back();
    copy_sizes(expr, loop.result);
    return sum;
  }

  void push_variables(const Comprehension& loop) {
    const std::optional<EntrySize> entries = entry_size(loop.range);
    const bool is_list = entries ? entries->is_list : loop.range->type->is(TypeKind::kList);
    const bool two = !loop.second_variable.empty();
    Local first{.name = loop.variable};
    if (is_list && !two) {
      first.path = extended(loop.range, "@items");
      if (entries) first.size = entries->value;
    } else {
      first.path = extended(loop.range, is_list ? "@indices" : "@keys");
      if (entries) first.size = entries->key;
    }
    locals_.push_back(std::move(first));
    if (!two) return;
    Local second{.name = loop.second_variable,
                 .path = extended(loop.range, is_list ? "@items" : "@values")};
    if (entries) second.size = entries->value;
    locals_.push_back(std::move(second));
  }

  Range loop(const Expr* expr) {
    const Comprehension& loop = *expr->loop;
    Range sum = cost(loop.range).plus(cost(loop.initial));
    push(loop.accumulator, loop.initial);
    const size_t outer = locals_.size();
    push_variables(loop);
    const Range condition = cost(loop.condition);
    const Range step = cost(loop.step);
    const std::optional<EntrySize> step_entries = entry_size(loop.step);
    locals_.resize(outer);
    sum = sum.plus(cost(loop.result));
    locals_.pop_back();
    const Range rounds = size_or_unknown(loop.range);
    sum = sum.plus(rounds.times(step.plus(condition)));
    if (loop.initial->is(ExprKind::kLiteral)) {
      if (const std::optional<Range> known = size(loop.initial)) sizes_[expr] = *known;
    } else if (loop.initial->is(ExprKind::kList) || loop.initial->is(ExprKind::kMap)) {
      sizes_[expr] = rounds;
      set_entry_size(expr, step_entries);
    }
    return sum;
  }

  const SizeOf& size_of_;
  std::vector<Local> locals_;
  std::map<const Expr*, Path> paths_;
  std::map<const Expr*, Range> sizes_;
  std::map<const Expr*, EntrySize> entries_;
};

}  // namespace estimation

Range estimate_cost(const Expr* root, const SizeOf& size_of) {
  return estimation::Estimator(size_of).cost(root);
}

}  // namespace proa::cel
