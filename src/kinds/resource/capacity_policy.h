#pragma once

#include "kinds/rules.h"

namespace proa::kinds::devices {

// A DeviceCapacity and its request policy, which is only allowed on devices that claims share.
void validate_capacity_policy(View capacity, bool shared, const api::Path& path,
                              api::FieldErrors& errors);

}  // namespace proa::kinds::devices
