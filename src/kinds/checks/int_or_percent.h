#pragma once

#include "kinds/rules.h"

// IntOrString values that are a number or a percentage: 3, "25%".

namespace proa::kinds {

// A percentage or a non-negative number.
void validate_int_or_percent(View value, const api::Path& path, api::FieldErrors& errors);
void validate_at_most_100_percent(View value, const api::Path& path, api::FieldErrors& errors);
// The number, also of a percentage; zero if absent.
int64_t int_or_percent_number(View value);

}  // namespace proa::kinds
