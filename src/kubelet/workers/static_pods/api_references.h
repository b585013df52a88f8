#pragma once

#include <string_view>

#include "api/object/view.h"

namespace proa::kubelet {

// The API objects that a pod refers to, in upstream's words: "secrets", "configmaps",
// "persistentvolumeclaims (via ephemeral volumes)". Empty: none. Static pods run without an API
// server, so they may not refer to its objects.
std::string_view find_api_reference(api::View spec);

}  // namespace proa::kubelet
