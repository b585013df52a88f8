#include "kubelet/pod/plan/restart_policy.h"

namespace proa::kubelet {
namespace restart_policy {

std::string_view policy_of(const Pod& pod, const ContainerSpec& container) {
  return container.fields->restart_policy.value_or(pod.restart_policy());
}

}  // namespace restart_policy

bool restarts_after_exit(const Pod& pod, const ContainerSpec& container, int exit_code) {
  if (const objects::RestartRule* rule = container.fields->restart_rule(exit_code)) {
    return rule->action == "Restart";
  }
  const std::string_view policy = restart_policy::policy_of(pod, container);
  return policy == "Always" || (policy == "OnFailure" && exit_code != 0);
}

bool restarts_when_killed(const Pod& pod, const ContainerSpec& container) {
  return restart_policy::policy_of(pod, container) != "Never";
}

}  // namespace proa::kubelet
