#pragma once

#include "kinds/checks/fields.h"

namespace proa::kinds::pods {

// A source of existing storage: hostPath, nfs, iscsi, csi, or that of a cloud or storage system.
// `kind` is the field name in a pod's volume: "nfs".
void validate_disk(std::string_view kind, View source, const Path& path, FieldErrors& errors);

}  // namespace proa::kinds::pods
