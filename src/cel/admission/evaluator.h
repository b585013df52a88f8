#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/cost/budget.h"
#include "base/result.h"
#include "cel/admission/compiler.h"
#include "cel/values/value.h"

namespace proa::cel {

// What all expressions of one webhook or binding may cost: pkg/apis/cel of upstream. A call may
// cost kRuleCostLimit.
inline constexpr int64_t kPolicyCostBudget = 10'000'000;
inline constexpr int64_t kMatchConditionsCostBudget = 2'500'000;

// The values of the variables. Absent objects are null.
struct AdmissionInputs {
  Value object;
  Value old_object;
  Value name_space;
  Value request;
  Value params;
  // Errors where expressions have none.
  Value authorizer = Value::error("no such attribute(s): authorizer");
  Value request_resource = Value::error("no such attribute(s): authorizer.requestResource");
  // Of the request, whose end is that of evaluations, too; null: they have no end but their cost.
  Budget* budget = nullptr;
};

// What became of an expression.
struct AdmissionValue {
  Value value;
  std::optional<std::string> error;  // in upstream's words
};

// Evaluates expressions of one webhook or policy for one request. Variables are evaluated when they
// are read first, and once. What an expression leaves behind is freed before the next one. For one
// thread. REQUIRES: all arguments outlive it.
class AdmissionEvaluator {
 public:
  // `variables`: of the policy; null: there are none.
  AdmissionEvaluator(Arena& arena, const AdmissionInputs& inputs,
                     const PolicyVariables* variables = nullptr)
      : arena_(arena), inputs_(inputs), variables_(variables) {}

  // Takes what it cost from the budget. Fails if that is not enough, or if the request is over: no
  // more expressions are evaluated then. Plain values and texts live as long as the arena, lists
  // and maps until the next call.
  Result<AdmissionValue> evaluate(const AdmissionExpression& expression, int64_t& budget);

 private:
  friend class LazyVariables;

  Outcome run(const AdmissionExpression& expression, Arena& arena);
  std::optional<Value> variable(std::string_view name);

  Arena& arena_;   // for variables, and for results
  Arena scratch_;  // of the last expression
  const AdmissionInputs& inputs_;
  const PolicyVariables* const variables_;
  // Variables that read variables take stack: a longer chain fails.
  static constexpr int kMostNested = 32;

  std::map<std::string, Value, std::less<>> known_;
  int nested_ = 0;
  uint64_t variables_cost_ = 0;  // since the last evaluate()
};

}  // namespace proa::cel
