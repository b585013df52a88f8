#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

KindRules event_rules();

// What both groups ask of an event. `controller_field` is what reportingComponent is called there.
void validate_event(View event, std::string_view controller_field, api::FieldErrors& errors);

// Events look the same in both groups, once they are in the form of this one.
std::span<const Column> event_columns();
void event_row(View event, Cells& cells);

}  // namespace proa::kinds
