#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "cel/values/value.h"

namespace proa::cel {

// Costs of operations, in upstream's units: about 50 ns each.
inline constexpr uint64_t kAttributeCost = 1;  // a variable, a selection, an index
inline constexpr uint64_t kListCost = 10;
inline constexpr uint64_t kMapCost = 30;
inline constexpr uint64_t kStructCost = 40;
inline constexpr double kTraversalFactor = 0.1;  // of each character of a string
inline constexpr double kRegexFactor = 0.25;     // of each character of a pattern

// How the cost of a call follows from its arguments and result at run time.
enum class CostRule : uint8_t {
  kOne,
  kTraverseFirst,
  kSizeOfSecond,
  kSmallerOperand,
  kBothOperands,
  kMatch,
  kContains,
  kTraverseWhole,   // what a list holds, or the text
  kTraverseTwice,   // of the first argument
  kTraverseResult,  // twice
  kCheckAccess,     // an authorization check
  kAddressBytes,    // an address against a network
  kNetworkBytes,    // a network against another one
  kAddressText,     // the same, with the other one as text
  kNetworkText,
  kValidate,    // a text against a format
  kSelector,    // the requirements of a selector
  kSetProduct,  // elements of one set by those of the other
  kSetProductTwice,
  kNewList,  // as long as the result
  kFlatten,
  kCompareElements,  // each element of the first argument with each
  kCompareKeys,      // the same of the second argument
};

// `overload` is empty where several may apply.
CostRule cost_rule(std::string_view function, std::string_view overload);

bool depends_on_result(CostRule rule);
uint64_t call_cost(CostRule rule, std::span<const Value> args, const Value& result);

// The size that costs depend on: of strings, bytes and containers; one for everything else.
uint64_t actual_size(const Value& value);

}  // namespace proa::cel
