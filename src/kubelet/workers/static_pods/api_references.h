#pragma once

#include <string_view>

#include "api/object/view.h"

namespace proa::kubelet {

// What of the API a pod refers to, in the words that upstream refuses static pods with: "secrets",
// "configmaps", "persistentvolumeclaims (via ephemeral volumes)". Empty: nothing. Pods that stand
// in files run without the API, so they may refer to nothing in it.
std::string_view find_api_reference(api::View spec);

}  // namespace proa::kubelet
