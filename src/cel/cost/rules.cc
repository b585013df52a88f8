#include "cel/cost/rules.h"

#include <algorithm>
#include <cmath>

#include "cel/values/collections.h"
#include "cel/values/text.h"

namespace proa::cel {
namespace cost_rules {

struct Entry {
  std::string_view overload;
  CostRule rule;
};

constexpr Entry kEntries[] = {
    {"starts_with_string", CostRule::kTraverseFirst},
    {"ends_with_string", CostRule::kTraverseFirst},
    {"string_to_bytes", CostRule::kTraverseFirst},
    {"bytes_to_string", CostRule::kTraverseFirst},
    {"strings_quote", CostRule::kTraverseFirst},
    {"string_format", CostRule::kTraverseFirst},
    {"in_list", CostRule::kSizeOfSecond},
    {"less_string", CostRule::kSmallerOperand},
    {"greater_string", CostRule::kSmallerOperand},
    {"less_equals_string", CostRule::kSmallerOperand},
    {"greater_equals_string", CostRule::kSmallerOperand},
    {"less_bytes", CostRule::kSmallerOperand},
    {"greater_bytes", CostRule::kSmallerOperand},
    {"less_equals_bytes", CostRule::kSmallerOperand},
    {"greater_equals_bytes", CostRule::kSmallerOperand},
    {"equals", CostRule::kSmallerOperand},
    {"not_equals", CostRule::kSmallerOperand},
    {"add_string", CostRule::kBothOperands},
    {"add_bytes", CostRule::kBothOperands},
    {"matches_string", CostRule::kMatch},
    {"contains_string", CostRule::kContains},
    {"list_sets_contains_list", CostRule::kSetProduct},
    {"list_sets_intersects_list", CostRule::kSetProduct},
    {"list_sets_equivalent_list", CostRule::kSetProductTwice},
    {"list_slice", CostRule::kNewList},
    {"lists_range", CostRule::kNewList},
    {"list_reverse", CostRule::kNewList},
    {"list_flatten", CostRule::kFlatten},
    {"list_flatten_int", CostRule::kFlatten},
    {"list_distinct", CostRule::kCompareElements},
    {"cidr_contains_ip_ip", CostRule::kAddressBytes},
    {"cidr_contains_ip_string", CostRule::kAddressText},
    {"cidr_contains_cidr", CostRule::kNetworkBytes},
    {"cidr_contains_cidr_string", CostRule::kNetworkText},
    {"string_to_ip", CostRule::kTraverseFirst},
};

// Kubernetes' libraries, by the name of the function.
constexpr Entry kFunctions[] = {
    {"isSorted", CostRule::kTraverseWhole},
    {"sum", CostRule::kTraverseWhole},
    {"max", CostRule::kTraverseWhole},
    {"min", CostRule::kTraverseWhole},
    {"indexOf", CostRule::kTraverseWhole},
    {"lastIndexOf", CostRule::kTraverseWhole},
    {"url", CostRule::kTraverseFirst},
    {"lowerAscii", CostRule::kTraverseFirst},
    {"upperAscii", CostRule::kTraverseFirst},
    {"substring", CostRule::kTraverseFirst},
    {"trim", CostRule::kTraverseFirst},
    {"jsonpatch.escapeKey", CostRule::kTraverseFirst},
    {"replace", CostRule::kTraverseTwice},
    {"split", CostRule::kTraverseTwice},
    {"join", CostRule::kTraverseResult},
    {"find", CostRule::kMatch},
    {"findAll", CostRule::kMatch},
    {"cidr", CostRule::kTraverseFirst},
    {"isIP", CostRule::kTraverseFirst},
    {"isCIDR", CostRule::kTraverseFirst},
    {"ip.isCanonical", CostRule::kTraverseTwice},
    {"quantity", CostRule::kTraverseFirst},
    {"isQuantity", CostRule::kTraverseFirst},
    {"semver", CostRule::kTraverseFirst},
    {"isSemver", CostRule::kTraverseFirst},
    {"validate", CostRule::kValidate},
    {"check", CostRule::kCheckAccess},
    {"fieldSelector", CostRule::kSelector},
    {"labelSelector", CostRule::kSelector},
};

uint64_t scaled(uint64_t size, double factor) {
  return static_cast<uint64_t>(std::ceil(static_cast<double>(size) * factor));
}

constexpr uint64_t kAuthorizationCheck = 350'000;

// Values can share parts, so that a small one has more leaves than there is time for. No cost limit
// allows that many.
constexpr uint64_t kMostLeaves = 5'000'000;

// The size of everything in a value, in units of a string's traversal.
uint64_t traversal(const Value& value, uint64_t& leaves) {
  if (++leaves > kMostLeaves) return kMostLeaves;
  uint64_t cost = 0;
  switch (value.kind()) {
    case ValueKind::kString:
    case ValueKind::kBytes:
      return static_cast<uint64_t>(static_cast<double>(value.text().size()) * kTraversalFactor);
    case ValueKind::kList:
      for (uint32_t i = 0; i < value.size() && leaves <= kMostLeaves; ++i) {
        cost += traversal(list_item(value, i), leaves);
      }
      return cost;
    case ValueKind::kMap:
      for (uint32_t i = 0; i < value.size() && leaves <= kMostLeaves; ++i) {
        cost += traversal(map_key(value, i), leaves) + traversal(map_value(value, i), leaves);
      }
      return cost;
    default:
      return 1;
  }
}

uint64_t traversal(const Value& value) {
  uint64_t leaves = 0;
  return traversal(value, leaves);
}

// Whether an address or a network lies in a network.
uint64_t containment(CostRule rule, std::span<const Value> args) {
  const uint64_t size = actual_size(args[0]);
  uint64_t cost = scaled(size + size, kTraversalFactor);
  if (rule == CostRule::kNetworkBytes || rule == CostRule::kNetworkText) {
    cost += scaled(size, kTraversalFactor) + 1;
  }
  if (rule == CostRule::kAddressText || rule == CostRule::kNetworkText) {
    cost += scaled(actual_size(args[1]), kTraversalFactor);
  }
  return cost;
}

// A requirement has two characters or more, and costs a struct and a list.
uint64_t selector(uint64_t size) {
  const uint64_t requirements = scaled(scaled(size, 0.5), kListCost + kStructCost);
  return kListCost + scaled(size, kTraversalFactor) + requirements;
}

uint64_t new_list(uint64_t size, double factor) {
  return static_cast<uint64_t>(static_cast<double>(size) * factor) + 1 + kListCost;
}

uint64_t comparisons(const Value& list) {
  const uint64_t size = actual_size(list);
  double factor = 2;
  if (list.is(ValueKind::kList) && size > 0) {
    const Value first = list_item(list, 0);
    const bool text = first.is(ValueKind::kString) || first.is(ValueKind::kBytes);
    if (text) factor += kTraversalFactor;
  }
  return new_list(size * size, factor);
}

uint64_t list_cost(CostRule rule, std::span<const Value> args, const Value& result) {
  switch (rule) {
    case CostRule::kSetProduct:
      return 1 + actual_size(args[0]) * actual_size(args[1]);
    case CostRule::kSetProductTwice:
      return 1 + 2 * actual_size(args[0]) * actual_size(args[1]);
    case CostRule::kNewList:
      return new_list(actual_size(result), 1);
    case CostRule::kFlatten: {
      const bool has_depth = args.size() == 2 && args[1].is(ValueKind::kInt);
      return new_list(actual_size(args[0]), has_depth ? static_cast<double>(args[1].as_int()) : 1);
    }
    case CostRule::kCompareElements:
      return comparisons(args[0]);
    case CostRule::kCompareKeys:
      return comparisons(args[1]);
    default:
      return 1;
  }
}

}  // namespace cost_rules

CostRule cost_rule(std::string_view function, std::string_view overload) {
  for (const cost_rules::Entry& entry : cost_rules::kEntries) {
    if (entry.overload == overload) return entry.rule;
  }
  for (const cost_rules::Entry& entry : cost_rules::kFunctions) {
    if (entry.overload == function) return entry.rule;
  }
  if (overload.empty()) return CostRule::kOne;
  if (function == "sort") return CostRule::kCompareElements;
  if (function == "@sortByAssociatedKeys") return CostRule::kCompareKeys;
  return CostRule::kOne;
}

bool depends_on_result(CostRule rule) {
  return rule == CostRule::kNewList || rule == CostRule::kTraverseResult;
}

uint64_t call_cost(CostRule rule, std::span<const Value> args, const Value& result) {
  using cost_rules::scaled;
  switch (rule) {
    case CostRule::kOne:
      return 1;
    case CostRule::kTraverseFirst:
      return scaled(actual_size(args[0]), kTraversalFactor);
    case CostRule::kSizeOfSecond:
      return actual_size(args[1]);
    case CostRule::kSmallerOperand:
      return scaled(std::min(actual_size(args[0]), actual_size(args[1])), kTraversalFactor);
    case CostRule::kBothOperands:
      return scaled(actual_size(args[0]) + actual_size(args[1]), kTraversalFactor);
    case CostRule::kMatch:
      return scaled(1 + actual_size(args[0]), kTraversalFactor) *
             scaled(actual_size(args[1]), kRegexFactor);
    case CostRule::kContains:
      return scaled(actual_size(args[0]), kTraversalFactor) *
             scaled(actual_size(args[1]), kTraversalFactor);
    case CostRule::kTraverseWhole:
      return cost_rules::traversal(args[0]);
    case CostRule::kTraverseTwice:
      return scaled(actual_size(args[0]), 2 * kTraversalFactor);
    case CostRule::kTraverseResult:
      return scaled(actual_size(result), 2 * kTraversalFactor);
    case CostRule::kCheckAccess:
      return cost_rules::kAuthorizationCheck;
    case CostRule::kAddressBytes:
    case CostRule::kNetworkBytes:
    case CostRule::kAddressText:
    case CostRule::kNetworkText:
      return cost_rules::containment(rule, args);
    case CostRule::kValidate:
      if (!args[0].is(ValueKind::kOpaque)) return 1;
      return scaled(1 + actual_size(args[1]), kTraversalFactor) *
             scaled(args[0].as_opaque()->pattern_size(), kRegexFactor);
    case CostRule::kSelector:
      return cost_rules::selector(actual_size(args[1]));
    default:
      return cost_rules::list_cost(rule, args, result);
  }
}

uint64_t actual_size(const Value& value) {
  switch (value.kind()) {
    case ValueKind::kString:
      return static_cast<uint64_t>(code_point_count(value.text()));
    case ValueKind::kBytes:
      return value.text().size();
    case ValueKind::kList:
    case ValueKind::kMap:
      return value.size();
    case ValueKind::kOptional:
      return value.as_optional() == nullptr ? 1 : actual_size(*value.as_optional());
    case ValueKind::kOpaque:
      return value.as_opaque()->size();
    default:
      return 1;
  }
}

}  // namespace proa::cel
