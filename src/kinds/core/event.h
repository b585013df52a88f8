#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

KindRules event_rules();

// Validation that both groups share. `controller_field` is the group's name of reportingComponent.
void validate_event(View event, std::string_view controller_field, api::FieldErrors& errors);

// Both groups print the same table; the event is in the form of v1.
std::span<const Column> event_columns();
void event_row(View event, Cells& cells);

}  // namespace proa::kinds
