#pragma once

#include "kinds/checks/fields.h"

namespace proa::kinds::pods {

// env and envFrom of a container.
void validate_environment(View variables, const Path& path, FieldErrors& errors);
void validate_environment_sources(View sources, const Path& path, FieldErrors& errors);

// Variables from files: the volume must be an emptyDir of the pod.
void validate_environment_files(View spec, const Path& path, FieldErrors& errors);

}  // namespace proa::kinds::pods
