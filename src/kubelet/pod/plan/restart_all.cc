#include "kubelet/pod/plan/restart_all.h"

#include <algorithm>

#include "kubelet/model/status_fields.h"
#include "kubelet/pod/plan/restart_policy.h"

namespace proa::kubelet {
namespace restart_all {

using api::View;

constexpr std::string_view kAction = "RestartAllContainers";

bool matches(View exit_codes, int64_t exit_code) {
  const auto values = exit_codes["values"].items();
  const bool listed = std::any_of(values.begin(), values.end(), [exit_code](const View value) {
    return value.integer() == exit_code;
  });
  const std::string_view operation = exit_codes["operator"].text();
  return (operation == "In" && listed) || (operation == "NotIn" && !listed);
}

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
    for (const api::View rule : container.view["restartPolicyRules"].items()) {
      if (rule["action"].text() == restart_all::kAction) return true;
    }
  }
  return false;
}

bool restarts_all_after_exit(api::View container, int64_t exit_code) {
  for (const api::View rule : container["restartPolicyRules"].items()) {
    const api::View exit_codes = rule["exitCodes"];
    if (exit_codes && restart_all::matches(exit_codes, exit_code)) {
      return rule["action"].text() == restart_all::kAction;
    }
  }
  return false;
}

bool is_restarting_all(const Pod& pod, const cri::RuntimePod& running, api::View old) {
  if (find_condition(old, "AllContainersRestarting")["status"].text() == "True") return true;
  for (const ContainerSpec& container : containers_of(pod)) {
    if (container.kind == ContainerKind::kEphemeral) continue;
    // Containers that have not exited in the runtime do not count, whatever their status says
    // (ShouldAllContainersRestart).
    const cri::Container* newest = running.newest(container.name());
    if (newest == nullptr || newest->state != cri::ContainerState::kExited) continue;
    if (restarts_all_after_exit(container.view, newest->exit_code)) return true;
    const api::View ended = restart_all::find_status(old, container)["state"]["terminated"];
    if (ended && restarts_all_after_exit(container.view, ended["exitCode"].integer())) return true;
  }
  return false;
}

bool is_restartable(const Pod& pod, const ContainerSpec& container, api::View terminated) {
  const int64_t exit_code = terminated["exitCode"].integer();
  return terminated["reason"].text() == kRestartingAll ||
         restarts_all_after_exit(container.view, exit_code) ||
         restarts_after_exit(pod, container, static_cast<int>(exit_code));
}

}  // namespace proa::kubelet
