#pragma once

#include "kinds/rules.h"

// podFailurePolicy and successPolicy of a Job. `path` is that of the policy.

namespace proa::kinds {

void validate_pod_failure_policy(View job_spec, const api::Path& path, api::FieldErrors& errors);
// REQUIRES: the job is indexed.
void validate_success_policy(View job_spec, const api::Path& path, api::FieldErrors& errors);

}  // namespace proa::kinds
