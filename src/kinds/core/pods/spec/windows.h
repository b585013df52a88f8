#pragma once

#include "kinds/checks/fields.h"

namespace proa::kinds::pods {

// securityContext.windowsOptions of a pod or a container.
void validate_windows_options(View options, const Path& path, FieldErrors& errors);

// The rules of spec.os, and those of HostProcess containers.
void validate_operating_system(View spec, const Path& path, FieldErrors& errors);
void validate_host_processes(View spec, const Path& path, FieldErrors& errors);

}  // namespace proa::kinds::pods
