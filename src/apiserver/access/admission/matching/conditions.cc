#include "apiserver/access/admission/matching/conditions.h"

#include <algorithm>
#include <string>

#include "base/strings.h"

namespace proa::apiserver {
namespace match_conditions {

// As upstream's Aggregate prints them: each once, in brackets if there are several.
std::string aggregate(const std::vector<std::string>& errors) {
  std::vector<std::string> distinct;
  for (const std::string& error : errors) {
    if (std::ranges::find(distinct, error) == distinct.end()) distinct.push_back(error);
  }
  return distinct.size() == 1 ? distinct[0] : "[" + join(distinct, ", ") + "]";
}

}  // namespace match_conditions

FailurePolicy failure_policy(api::View owner) {
  return owner["failurePolicy"].text() == "Ignore" ? FailurePolicy::kIgnore : FailurePolicy::kFail;
}

MatchConditions::MatchConditions(api::View owner, cel::AdmissionCompiler& compiler)
    : failures_(failure_policy(owner)) {
  for (const api::View condition : owner["matchConditions"].items()) {
    conditions_.push_back(compiler.compile(condition["expression"].text(), cel::Expected::kBool));
  }
}

Result<bool> MatchConditions::match(const cel::AdmissionInputs& inputs, json::Arena& arena,
                                    const cel::PolicyVariables* variables) const {
  cel::AdmissionEvaluator evaluator(arena, inputs, variables);
  int64_t budget = cel::kMatchConditionsCostBudget;
  std::vector<std::string> errors;
  bool refused = false;
  // All are evaluated, as upstream does: the budget counts even if the first one is false.
  for (const cel::AdmissionExpression& condition : conditions_) {
    const Result<cel::AdmissionValue> made = evaluator.evaluate(condition, budget);
    if (!made) {
      if (failures_ == FailurePolicy::kIgnore) return false;
      return made.status();
    }
    if (made->error) {
      errors.push_back(*made->error);
    } else {
      refused = refused || made->value.is_false();
    }
  }
  if (refused) return false;
  if (errors.empty()) return true;
  if (failures_ == FailurePolicy::kIgnore) return false;
  return Status(Reason::kInvalid, match_conditions::aggregate(errors));
}

}  // namespace proa::apiserver
