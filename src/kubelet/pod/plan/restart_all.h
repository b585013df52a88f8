#pragma once

#include "kubelet/model/pod.h"
#include "kubelet/runtime/cri/runtime_pod.h"

// The rule RestartAllContainers: the exit of one container restarts all containers of the pod.

namespace proa::kubelet {

// The reason of container states during such a restart.
inline constexpr std::string_view kRestartingAll = "RestartingAllContainers";

// Whether some container has such a rule.
bool could_restart_all(const Pod& pod);
// Whether the first rule that matches this exit is such a rule.
bool restarts_all_after_exit(const ContainerSpec& container, int64_t exit_code);
// Whether such a restart is in progress. `old`: the previous status.
bool is_restarting_all(const Pod& pod, const cri::RuntimePod& running, api::View old);

// Whether a container with that exit is restarted, alone or with all others.
bool is_restartable(const Pod& pod, const ContainerSpec& container, api::View terminated);

}  // namespace proa::kubelet
