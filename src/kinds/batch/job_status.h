#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

// Whether the status has a condition of this type with status True.
bool has_job_condition(View status, std::string_view type);

// Validates the status that a controller, ours or another one (spec.managedBy), writes. A rule that
// the old status already violates applies only if its fields change: a user may have changed the
// spec in the meantime.
void validate_job_status_update(View object, View old, api::FieldErrors& errors);

}  // namespace proa::kinds
