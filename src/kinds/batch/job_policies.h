#pragma once

#include "kinds/rules.h"

// When failed pods end a job, and when succeeded ones do. Paths are those of the policies.

namespace proa::kinds {

void validate_pod_failure_policy(View job_spec, const api::Path& path, api::FieldErrors& errors);
// REQUIRES: the job is indexed.
void validate_success_policy(View job_spec, const api::Path& path, api::FieldErrors& errors);

}  // namespace proa::kinds
