#pragma once

#include "kubelet/model/pod.h"

namespace proa::kubelet {

// Whether a container with that exit is restarted: by its own rules, then its own policy, then the
// pod's.
bool restarts_after_exit(const Pod& pod, const ContainerSpec& container, int exit_code);
// The same for a container that the kubelet stopped: rules about exit codes do not apply.
bool restarts_when_killed(const Pod& pod, const ContainerSpec& container);

}  // namespace proa::kubelet
