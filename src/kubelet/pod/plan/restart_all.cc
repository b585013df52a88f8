#include "kubelet/pod/plan/restart_all.h"

#include "kubelet/model/status_fields.h"
#include "kubelet/pod/plan/restart_policy.h"

namespace proa::kubelet {
namespace restart_all {

using api::View;

constexpr std::string_view kAction = "RestartAllContainers";

View find_status(View status, const ContainerSpec& container) {
  const bool is_init =
      container.kind == ContainerKind::kInit || container.kind == ContainerKind::kSidecar;
  return find_container_status(status[is_init ? "initContainerStatuses" : "containerStatuses"],
                               container.name());
}

}  // namespace restart_all

bool could_restart_all(const Pod& pod) {
  for (const ContainerSpec& container : containers_of(pod)) {
    if (container.kind == ContainerKind::kEphemeral) continue;
    for (const objects::RestartRule& rule : container.fields->restart_rules) {
      if (rule.action == restart_all::kAction) return true;
    }
  }
  return false;
}

bool restarts_all_after_exit(const ContainerSpec& container, int64_t exit_code) {
  const objects::RestartRule* rule = container.fields->restart_rule(exit_code);
  return rule != nullptr && rule->action == restart_all::kAction;
}

bool is_restarting_all(const Pod& pod, const cri::RuntimePod& running, api::View old) {
  if (find_condition(old, "AllContainersRestarting")["status"].text() == "True") return true;
  for (const ContainerSpec& container : containers_of(pod)) {
    if (container.kind == ContainerKind::kEphemeral) continue;
    // Containers that have not exited in the runtime do not count, whatever their status says
    // (ShouldAllContainersRestart).
    const cri::Container* newest = running.newest(container.name());
    if (newest == nullptr || newest->state != cri::ContainerState::kExited) continue;
    if (restarts_all_after_exit(container, newest->exit_code)) return true;
    const api::View ended = restart_all::find_status(old, container)["state"]["terminated"];
    if (ended && restarts_all_after_exit(container, ended["exitCode"].integer())) return true;
  }
  return false;
}

bool is_restartable(const Pod& pod, const ContainerSpec& container, api::View terminated) {
  const int64_t exit_code = terminated["exitCode"].integer();
  return terminated["reason"].text() == kRestartingAll ||
         restarts_all_after_exit(container, exit_code) ||
         restarts_after_exit(pod, container, static_cast<int>(exit_code));
}

}  // namespace proa::kubelet
