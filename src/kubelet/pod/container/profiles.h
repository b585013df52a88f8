#pragma once

#include "api/object/edit.h"
#include "base/result.h"
#include "kubelet/model/pod.h"

namespace proa::kubelet {

// The type of a SecurityProfile in CRI's numbering.
enum class ProfileType : uint8_t { kRuntimeDefault = 0, kUnconfined = 1, kLocalhost = 2 };
void write_profile(const api::Edit& profile, ProfileType type, std::string_view reference = {});

// `seccomp` and `apparmor` of a container's security context: the container's own profile, else the
// pod's. `root`: the kubelet's folder, which has the seccomp profiles of the node.
Result<void> write_seccomp(const api::Edit& security_context, const Pod& pod, api::View container,
                           const std::string& root);
Result<void> write_apparmor(const api::Edit& security_context, const Pod& pod, api::View container);

}  // namespace proa::kubelet
