#pragma once

#include "kinds/checks/fields.h"

namespace proa::kinds::pods {

// Storage that is there already, on the node or elsewhere: hostPath, nfs, iscsi, csi, and those of
// clouds and storage systems. `kind` is the field of a pod's volume: "nfs".
void validate_disk(std::string_view kind, View source, const Path& path, FieldErrors& errors);

}  // namespace proa::kinds::pods
