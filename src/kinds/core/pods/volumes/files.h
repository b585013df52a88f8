#pragma once

#include "kinds/checks/fields.h"

namespace proa::kinds::pods {

// Volumes with files from other objects: secret, configMap, downwardAPI, projected.
// Returns whether `kind` is one of them.
bool validate_file_volume(std::string_view kind, View source, const Path& path,
                          FieldErrors& errors);

}  // namespace proa::kinds::pods
