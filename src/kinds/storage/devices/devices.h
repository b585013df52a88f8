#pragma once

#include "kinds/rules.h"

// The kinds of resource.k8s.io: devices, claims to them, and who got which.

namespace proa::kinds {

KindRules device_class_rules();
KindRules resource_claim_rules();
KindRules resource_claim_template_rules();
KindRules resource_slice_rules();

// "resource.k8s.io/v1/ExactDeviceRequest" and "DeviceSubRequest": one device, unless it says more.
void default_device_request(api::Edit request);

}  // namespace proa::kinds
