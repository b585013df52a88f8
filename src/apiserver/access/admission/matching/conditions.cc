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

Result<MatchConditions::Verdict> MatchConditions::evaluate(
    const cel::AdmissionInputs& inputs, json::Arena& arena,
    const cel::PolicyVariables* variables) const {
  cel::AdmissionEvaluator evaluator(arena, inputs, variables);
  int64_t budget = cel::kMatchConditionsCostBudget;
  Verdict verdict;
  // All are evaluated, as upstream does: the budget counts even if the first one is false.
  for (const cel::AdmissionExpression& condition : conditions_) {
    const cel::AdmissionValue made = TRY(evaluator.evaluate(condition, budget));
    if (verdict.refused) continue;
    if (made.error) {
      verdict.errors.push_back(*made.error);
    } else {
      verdict.refused = made.value.is_false();
    }
  }
  return verdict;
}

Result<bool> MatchConditions::match(const cel::AdmissionInputs& inputs, json::Arena& arena,
                                    const Counted& counted,
                                    const cel::PolicyVariables* variables) const {
  const Steady begin = counted.metrics.now();
  const Result<Verdict> verdict = evaluate(inputs, arena, variables);
  if (verdict && !verdict->refused && verdict->errors.empty()) return true;
  // As upstream, what matches is not counted.
  counted.metrics.count_mismatch(counted.owner, counted.operation,
                                 verdict ? verdict->errors.size() : 0,
                                 counted.metrics.since(begin));
  if (verdict && verdict->refused) return false;
  if (failures_ == FailurePolicy::kIgnore) return false;
  if (!verdict) return verdict.status();
  return Status(Reason::kInvalid, match_conditions::aggregate(verdict->errors));
}

}  // namespace proa::apiserver
