#pragma once

#include <span>
#include <string_view>

#include "base/result.h"
#include "cel/expression/checked.h"
#include "cel/values/value.h"
#include "json/value.h"

// Match conditions of authorization webhooks, over the SubjectAccessReviewSpec that they are asked
// about. As k8s.io/apiserver/pkg/authorization/cel.

namespace proa::cel {

struct ReviewCondition : CheckedExpression {
  bool uses_field_selector = false;
  bool uses_label_selector = false;
};

ReviewCondition compile_review_condition(std::string_view source);

// What conditions say of a request. One that is false decides, whatever the others are.
struct ReviewMatch {
  bool matches = true;
  // Why it is not known whether it matches, in upstream's words; empty: it is.
  std::string error;
  bool has_errors = false;  // even if another condition is false
};

// `spec`: of a SubjectAccessReview of version v1. Selectors that no condition mentions are not
// shown to them. REQUIRES: conditions without errors.
ReviewMatch matches_review(std::span<const ReviewCondition> conditions, const json::Value& spec);

}  // namespace proa::cel
