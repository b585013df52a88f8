#pragma once

#include <string>

#include "api/object/view.h"

namespace proa::kubelet {

// Why the sysctls of a pod may not be set: only those that are its own and harm nobody may. Empty:
// they may.
std::string find_forbidden_sysctl(api::View spec);

}  // namespace proa::kubelet
