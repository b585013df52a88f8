#pragma once

#include "cel/admission/compiler.h"
#include "kinds/checks/expressions.h"
#include "kinds/rules.h"

// Which requests a webhook or a policy matches.

namespace proa::kinds {

// A RuleWithOperations.
void validate_admission_rule(View rule, const api::Path& path, api::FieldErrors& errors);
// MatchResources; may be absent.
void validate_match_resources(View match, const api::Path& path, api::FieldErrors& errors);
// `has_params`: they may mention params.
void validate_match_conditions(View conditions, const api::Path& path, api::FieldErrors& errors,
                               bool has_params = false);
// Operations of a mutating policy: only those that create or change objects.
void validate_mutating_operations(View match, const api::Path& path, api::FieldErrors& errors);

}  // namespace proa::kinds
