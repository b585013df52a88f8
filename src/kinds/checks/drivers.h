#pragma once

#include "kinds/rules.h"

// Fields that storage classes and drivers of several kinds share.

namespace proa::kinds {

// The name of a CSI driver or a DRA driver.
void validate_driver_name(View name, const api::Path& path, api::FieldErrors& errors);
// The provisioner of volumes: a qualified name, because it need not be a CSI driver.
void validate_provisioner(View name, const api::Path& path, api::FieldErrors& errors);
// Opaque parameters of a driver.
void validate_parameters(View parameters, const api::Path& path, api::FieldErrors& errors);

}  // namespace proa::kinds
