#pragma once

#include "kubelet/model/pod.h"
#include "kubelet/runtime/cri/runtime_pod.h"

// Containers whose end makes all containers of their pod begin anew (the rule
// RestartAllContainers).

namespace proa::kubelet {

// The reason of states that such a restart leads to.
inline constexpr std::string_view kRestartingAll = "RestartingAllContainers";

// Whether some container has such a rule.
bool could_restart_all(const Pod& pod);
// Whether the first rule that matches this end of the container is such a rule.
bool restarts_all_after_exit(api::View container, int64_t exit_code);
// Whether that is going on. `old`: the status as it was.
bool is_restarting_all(const Pod& pod, const cri::RuntimePod& running, api::View old);

// Whether a container that ended so is started again, alone or with the others.
bool is_restartable(const Pod& pod, const ContainerSpec& container, api::View terminated);

}  // namespace proa::kubelet
