#pragma once

#include <string>

#include "api/object/view.h"

// Secrets that a pod refers to without its account having them. The first one, in upstream's words;
// empty when there is none.

namespace proa::apiserver {

std::string foreign_secret_of_pod(api::View pod_spec, api::View account);
// Only what containers that are added to a running pod refer to.
std::string foreign_secret_of_ephemeral_containers(api::View pod_spec, api::View account);

}  // namespace proa::apiserver
