#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

// Whether the status has a condition of that type that is true.
bool has_job_condition(View status, std::string_view type);

// What controllers, ours or others (spec.managedBy), may make of a job's status. A rule that the
// old status broke already counts only where its fields change: a user may have changed the spec
// meanwhile.
void validate_job_status_update(View object, View old, api::FieldErrors& errors);

}  // namespace proa::kinds
