#pragma once

#include "kubelet/model/pod.h"

namespace proa::kubelet {

// Whether a container that ended so is started again: its own rules first, then its own policy,
// then the pod's.
bool restarts_after_exit(const Pod& pod, const ContainerSpec& container, int exit_code);
// The same for one that did not end by itself, so that no rule about exit codes counts.
bool restarts_when_killed(const Pod& pod, const ContainerSpec& container);

}  // namespace proa::kubelet
