#pragma once

#include <string>
#include <vector>

#include "api/object/view.h"
#include "apiserver/access/admission/admission_metrics.h"
#include "cel/admission/evaluator.h"

namespace proa::apiserver {

enum class FailurePolicy : uint8_t { kFail, kIgnore };

// kFail where it is absent.
FailurePolicy failure_policy(api::View owner);

// The matchConditions of a webhook or a policy, compiled. Immutable; shared by all threads.
class MatchConditions {
 public:
  // `owner`: the webhook, or the spec of the policy.
  MatchConditions(api::View owner, cel::AdmissionCompiler& compiler);

  bool empty() const { return conditions_.empty(); }
  // Where mismatches of an owner's conditions are counted.
  struct Counted {
    AdmissionMetrics& metrics;
    ConditionOwner owner;
    Operation operation;
  };
  // Whether all are true. A false one decides, whatever others are; where some fail and none is
  // false, it fails with their errors, or does not match if the owner ignores failures.
  Result<bool> match(const cel::AdmissionInputs& inputs, json::Arena& arena, const Counted& counted,
                     const cel::PolicyVariables* variables = nullptr) const;

 private:
  // What they are together.
  struct Verdict {
    bool refused = false;
    std::vector<std::string> errors;  // before the first one that is false
  };
  Result<Verdict> evaluate(const cel::AdmissionInputs& inputs, json::Arena& arena,
                           const cel::PolicyVariables* variables) const;

  FailurePolicy failures_;
  std::vector<cel::AdmissionExpression> conditions_;
};

}  // namespace proa::apiserver
