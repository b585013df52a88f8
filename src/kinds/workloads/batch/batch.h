#pragma once

#include "kinds/rules.h"

// The kinds of group batch.

namespace proa::kinds {

KindRules job_rules();
KindRules cron_job_rules();

// "batch/v1/Job". Not JobSpec: in the template of a CronJob, nothing is filled in.
void default_job(api::Edit job);

// A JobSpec, of a job or of a CronJob's template, but for its selector.
void validate_job_spec(View spec, const api::Path& path, api::FieldErrors& errors);
// `old` may be absent.
void warn_about_job_spec(View spec, View old, const api::Path& path, Warnings& warnings);

bool is_indexed(View job_spec);

}  // namespace proa::kinds
