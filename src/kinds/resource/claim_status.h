#pragma once

#include "kinds/rules.h"

namespace proa::kinds::devices {

// What was given for a claim, to whom, and how its devices are. What belonged to devices that the
// claim no longer has is forgotten.
void forget_freed_devices(api::Edit claim, View old);
void validate_claim_status(View claim, View old, api::FieldErrors& errors);

}  // namespace proa::kinds::devices
