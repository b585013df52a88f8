#pragma once

#include "kinds/rules.h"

namespace proa::kinds::devices {

// A DeviceCapacity, and how much of it one claim may ask for; that only makes sense where claims
// share the device.
void validate_capacity_policy(View capacity, bool shared, const api::Path& path,
                              api::FieldErrors& errors);

}  // namespace proa::kinds::devices
