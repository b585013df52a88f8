#pragma once

#include <string>

#include "api/object/view.h"

// Finds a secret that a pod references but its service account may not mount. Returns upstream's
// message for the first one; empty if there is none.

namespace proa::apiserver {

std::string foreign_secret_of_pod(api::View pod_spec, api::View account);
// Only for ephemeral containers, which are added to a running pod.
std::string foreign_secret_of_ephemeral_containers(api::View pod_spec, api::View account);

}  // namespace proa::apiserver
