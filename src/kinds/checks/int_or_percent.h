#pragma once

#include "kinds/rules.h"

// Amounts that are a number or a share: 3, "25%".

namespace proa::kinds {

// A percentage, or a number that is not negative.
void validate_int_or_percent(View value, const api::Path& path, api::FieldErrors& errors);
void validate_at_most_100_percent(View value, const api::Path& path, api::FieldErrors& errors);
// The number, of a percentage too; zero when there is none.
int64_t int_or_percent_number(View value);

}  // namespace proa::kinds
