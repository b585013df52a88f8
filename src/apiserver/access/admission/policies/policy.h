#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/object/object.h"
#include "api/selector/label_selector.h"
#include "apiserver/access/admission/matching/conditions.h"
#include "apiserver/access/admission/matching/criteria.h"
#include "cel/admission/compiler.h"

namespace proa::apiserver {

struct PolicyValidation {
  cel::AdmissionExpression expression;
  std::optional<cel::AdmissionExpression> message_expression;
  std::string message;
  Reason reason = Reason::kInvalid;
};

struct PolicyAnnotation {
  std::string key;
  cel::AdmissionExpression value;
};

struct PolicyMutation {
  enum class Type : uint8_t { kJsonPatch, kApplyConfiguration };
  Type type;
  cel::AdmissionExpression expression;
};

struct ParamKind {
  std::string api_version;
  std::string kind;
};

// A ValidatingAdmissionPolicy or MutatingAdmissionPolicy with its expressions compiled. What does
// not compile fails when it is evaluated. Immutable; shared by all threads.
class Policy {
 public:
  // REQUIRES: a policy that was validated.
  explicit Policy(api::View object);

  const std::string& name() const { return name_; }
  FailurePolicy failures() const { return failures_; }
  const std::optional<ParamKind>& param_kind() const { return param_kind_; }
  const MatchCriteria& criteria() const { return criteria_; }
  const MatchConditions& conditions() const { return conditions_; }
  // Of either kind: upstream says so of those that mutate, too.
  ConditionOwner condition_owner() const {
    return {.name = name_, .kind = ConditionOwner::Kind::kPolicy, .step = AdmissionStep::kValidate};
  }
  const cel::PolicyVariables& variables() const { return variables_; }
  // Of a validating policy.
  const std::vector<PolicyValidation>& validations() const { return validations_; }
  const std::vector<PolicyAnnotation>& annotations() const { return annotations_; }
  // Of a mutating one.
  const std::vector<PolicyMutation>& mutations() const { return mutations_; }
  bool reinvoked_if_needed() const { return reinvoked_if_needed_; }

 private:
  Policy(api::View object, cel::AdmissionCompiler compiler);

  std::string name_;
  FailurePolicy failures_;
  std::optional<ParamKind> param_kind_;
  MatchCriteria criteria_;
  MatchConditions conditions_;
  std::vector<PolicyValidation> validations_;
  std::vector<PolicyAnnotation> annotations_;
  std::vector<PolicyMutation> mutations_;
  bool reinvoked_if_needed_;
  cel::PolicyVariables variables_;
};

struct ParamReference {
  std::string name;  // empty: by selector
  std::string name_space;
  std::optional<api::LabelSelector> selector;
  bool denies_if_absent = false;
};

struct ValidationActions {
  bool deny = false;
  bool warn = false;
  bool audit = false;
};

// A binding of such a policy. Immutable.
class PolicyBinding {
 public:
  explicit PolicyBinding(api::View object);

  const std::string& name() const { return name_; }
  const std::string& policy() const { return policy_; }
  // Absent: all that the policy matches.
  const std::optional<MatchCriteria>& criteria() const { return criteria_; }
  const std::optional<ParamReference>& params() const { return params_; }
  const ValidationActions& actions() const { return actions_; }
  // As they were stated.
  const std::vector<std::string>& action_names() const { return action_names_; }

 private:
  std::string name_;
  std::string policy_;
  std::optional<MatchCriteria> criteria_;
  std::optional<ParamReference> params_;
  ValidationActions actions_;
  std::vector<std::string> action_names_;
};

}  // namespace proa::apiserver
