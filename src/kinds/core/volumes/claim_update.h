#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

// Updates of a claim: it is bound once, and may only grow while it is bound.
void validate_claim_update(View object, View old, api::FieldErrors& errors);
void validate_claim_status_update(View object, View old, api::FieldErrors& errors);

}  // namespace proa::kinds
