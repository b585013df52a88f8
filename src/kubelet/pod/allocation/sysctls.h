#pragma once

#include <string>

#include "kubelet/model/pod_object.h"

namespace proa::kubelet {

// Why the sysctls of a pod are forbidden: only namespaced, safe ones are allowed. Empty: they are
// allowed.
std::string find_forbidden_sysctl(const objects::PodSpec& spec);

}  // namespace proa::kubelet
