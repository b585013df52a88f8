#pragma once

#include "kinds/checks/fields.h"

namespace proa::kinds::pods {

// securityContext of a pod and of a container. `host_users`: the pod uses the node's user ids.
void validate_pod_security(View spec, const Path& path, FieldErrors& errors);
void validate_container_security(View context, bool host_users, const Path& path,
                                 FieldErrors& errors);

void validate_app_armor_profile(View profile, const Path& path, FieldErrors& errors);

// Which host namespaces a pod may use that has user ids of its own.
void validate_host_users(View spec, const Path& path, FieldErrors& errors);

}  // namespace proa::kinds::pods
