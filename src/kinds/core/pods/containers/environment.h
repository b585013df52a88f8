#pragma once

#include "kinds/checks/fields.h"

namespace proa::kinds::pods {

// The variables of a container: one by one, and all of a ConfigMap or Secret.
void validate_environment(View variables, const Path& path, FieldErrors& errors);
void validate_environment_sources(View sources, const Path& path, FieldErrors& errors);

// Files that variables come from lie in volumes of the pod that are emptyDirs.
void validate_environment_files(View spec, const Path& path, FieldErrors& errors);

}  // namespace proa::kinds::pods
