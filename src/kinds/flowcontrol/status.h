#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

// Conditions of a FlowSchema or a PriorityLevelConfiguration.
void validate_flow_control_status(View object, api::FieldErrors& errors);

}  // namespace proa::kinds
