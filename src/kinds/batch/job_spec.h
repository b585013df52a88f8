#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

// Validates a JobSpec, of a Job or of a CronJob's template, except for its selector.
void validate_job_spec(View spec, const api::Path& path, api::FieldErrors& errors);
// `old` may be absent.
void warn_about_job_spec(View spec, View old, const api::Path& path, Warnings& warnings);

bool is_indexed(View job_spec);

}  // namespace proa::kinds
