#pragma once

#include "kinds/rules.h"

// What storage classes and drivers of several kinds have in common.

namespace proa::kinds {

// Of a CSI driver, or of one that has devices.
void validate_driver_name(View name, const api::Path& path, api::FieldErrors& errors);
// Who makes volumes: not only CSI drivers do, so it is a qualified name.
void validate_provisioner(View name, const api::Path& path, api::FieldErrors& errors);
// What a driver is told, as it stands.
void validate_parameters(View parameters, const api::Path& path, api::FieldErrors& errors);

}  // namespace proa::kinds
