#pragma once

#include "kinds/rules.h"

// Which requests webhooks and policies look at.

namespace proa::kinds {

// A RuleWithOperations.
void validate_admission_rule(View rule, const api::Path& path, api::FieldErrors& errors);
// MatchResources, which may be absent.
void validate_match_resources(View match, const api::Path& path, api::FieldErrors& errors);
void validate_match_conditions(View conditions, const api::Path& path, api::FieldErrors& errors);
// Only what makes or changes objects can be mutated.
void validate_mutating_operations(View match, const api::Path& path, api::FieldErrors& errors);

}  // namespace proa::kinds
