#pragma once

#include <string>
#include <vector>

#include "apiserver/access/admission/matching/inputs.h"
#include "apiserver/access/admission/policies/policy.h"

namespace proa::apiserver {

// What a validation says of a request.
struct PolicyDecision {
  bool denies = false;
  std::string message = "";  // if it does not deny: an error that is ignored
  Reason reason = Reason::kInvalid;
  Duration took{0};
};

// What becomes of an audit annotation.
struct AnnotationDecision {
  enum class Action : uint8_t { kPublish, kDeny, kExclude };
  Action action = Action::kExclude;
  std::string key = "";
  std::string value = "";  // why, if it denies
  Duration took{0};
};

struct PolicyDecisions {
  std::vector<PolicyDecision> validations;  // in the order of the policy's
  std::vector<AnnotationDecision> annotations;
};

// Evaluates a validating policy for a request and one param, which may be absent: upstream's
// validator.Validate(). Fails only if the request's Namespace is unknown. REQUIRES: the objects of
// the request can be converted to the version that matched.
Result<PolicyDecisions> evaluate_policy(const Policy& policy, const Matched& matched,
                                        api::View param, RequestInputs& inputs,
                                        AdmissionMetrics& metrics);

}  // namespace proa::apiserver
