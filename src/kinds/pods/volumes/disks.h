#pragma once

#include "kinds/pods/spec/checks.h"

namespace proa::kinds::pods {

// Storage that is there already, on the node or elsewhere: hostPath, nfs, iscsi, csi, and those of
// clouds and storage systems. `kind` is the field of a pod's volume: "nfs".
void validate_disk(std::string_view kind, View source, const Path& path, FieldErrors& errors);

// The name of a CSI driver.
void validate_driver_name(View name, const Path& path, FieldErrors& errors);

}  // namespace proa::kinds::pods
