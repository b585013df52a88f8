#pragma once

#include <string>

#include "api/object/view.h"

namespace proa::kubelet {

// Why the sysctls of a pod are forbidden: only namespaced, safe ones are allowed. Empty: they are
// allowed.
std::string find_forbidden_sysctl(api::View spec);

}  // namespace proa::kubelet
