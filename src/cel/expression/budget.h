#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cel/expression/rule.h"

namespace proa::cel {

// What rules may cost when they are defined: limits of one expression, and of all of a definition.
inline constexpr uint64_t kExpressionEstimateLimit = 10'000'000;
inline constexpr uint64_t kDefinitionEstimateLimit = 100'000'000;

// How many values of a schema an object can have, by the limits of the lists and maps around it;
// nullopt if one of those has none. The root of an object: 1.
using Cardinality = std::optional<uint64_t>;

// That of the properties, items or additional properties of a schema.
Cardinality inner_cardinality(const Cardinality& outer, const json::Value& schema);

// What all evaluations of a rule can cost together.
uint64_t expression_cost(const CompiledRule& rule, const Cardinality& cardinality);

// "estimated rule cost exceeds budget by factor of 1.5x (try ...)". REQUIRES: cost > limit.
std::string cost_message(std::string_view what, uint64_t cost, uint64_t limit);

// The costs of all expressions of a definition.
class TotalCost {
 public:
  struct Expensive {
    std::string path;
    uint64_t cost = 0;
  };

  void add(std::string_view path, uint64_t cost);
  uint64_t total() const { return total_; }
  // The four that cost most, if they have a share worth a word.
  const std::vector<Expensive>& most_expensive() const { return most_expensive_; }

 private:
  uint64_t total_ = 0;
  std::vector<Expensive> most_expensive_;
};

}  // namespace proa::cel
