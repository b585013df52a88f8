#pragma once

#include "kinds/checks/fields.h"

namespace proa::kinds::pods {

// securityContext of a pod and of a container. `host_users`: the pod uses the host's user
// namespace.
void validate_pod_security(View spec, const Path& path, FieldErrors& errors);
void validate_container_security(View context, bool host_users, const Path& path,
                                 FieldErrors& errors);

void validate_app_armor_profile(View profile, const Path& path, FieldErrors& errors);

// Host namespaces that a pod with its own user namespace may use.
void validate_host_users(View spec, const Path& path, FieldErrors& errors);

}  // namespace proa::kinds::pods
