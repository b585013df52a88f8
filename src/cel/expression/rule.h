#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "cel/evaluate/program.h"
#include "cel/types/environment.h"
#include "cel/types/shape.h"

namespace proa::cel {

// What a call of a rule may cost, and all rules of one object together: pkg/apis/cel of upstream.
inline constexpr uint64_t kRuleCostLimit = 1'000'000;
inline constexpr uint64_t kObjectCostBudget = 10'000'000;

// A rule of x-kubernetes-validations.
struct RuleSource {
  std::string_view rule;
  std::string_view message_expression;  // empty: none
  bool optional_old_self = false;
};

// What became of it. Errors are in the words of upstream's Compile().
struct CompiledRule {
  std::string error;                       // empty: it is accepted
  std::shared_ptr<const Program> program;  // null if there is an error, or the rule is blank
  bool uses_old_self = false;              // it is checked for updates only
  uint64_t max_cost = 0;
  uint64_t max_cardinality = 0;
  std::string message_error;
  std::shared_ptr<const Program> message;
  uint64_t message_max_cost = 0;
};

// Compiles the rules of one schema. Values of programs: `self` and `oldSelf`, in this order.
class RuleCompiler {
 public:
  // `minor_version`: of the Kubernetes version whose libraries rules may use. REQUIRES: the shape
  // outlives this.
  RuleCompiler(const Shape& shape, int minor_version);

  CompiledRule compile(const RuleSource& source) const;

 private:
  const Shape& shape_;
  Environment environment_;
  Environment optional_environment_;
};

// The value of `oldSelf` for a rule with optionalOldSelf. `old`: null if there is none.
Value optional_old_self(Arena& arena, const json::Value* old, const Shape& shape);

}  // namespace proa::cel
