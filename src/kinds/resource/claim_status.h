#pragma once

#include "kinds/rules.h"

namespace proa::kinds::devices {

// The status of a claim: allocation, reservations, device states. prepare removes the states of
// devices that are no longer allocated.
void forget_freed_devices(api::Edit claim, View old);
void validate_claim_status(View claim, View old, api::FieldErrors& errors);

}  // namespace proa::kinds::devices
