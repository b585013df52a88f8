#include "kubelet/pod/plan/restart_policy.h"

#include <algorithm>

namespace proa::kubelet {
namespace restart_policy {

using api::View;

std::string_view policy_of(const Pod& pod, const ContainerSpec& container) {
  return container.view["restartPolicy"].text(pod.restart_policy());
}

bool matches(View exit_codes, int exit_code) {
  const auto values = exit_codes["values"].items();
  const bool listed = std::any_of(values.begin(), values.end(),
                                  [exit_code](View value) { return value.integer() == exit_code; });
  const std::string_view operation = exit_codes["operator"].text();
  return (operation == "In" && listed) || (operation == "NotIn" && !listed);
}

}  // namespace restart_policy

bool restarts_after_exit(const Pod& pod, const ContainerSpec& container, int exit_code) {
  for (const api::View rule : container.view["restartPolicyRules"].items()) {
    const api::View exit_codes = rule["exitCodes"];
    if (exit_codes && restart_policy::matches(exit_codes, exit_code)) {
      return rule["action"].text() == "Restart";
    }
  }
  const std::string_view policy = restart_policy::policy_of(pod, container);
  return policy == "Always" || (policy == "OnFailure" && exit_code != 0);
}

bool restarts_when_killed(const Pod& pod, const ContainerSpec& container) {
  return restart_policy::policy_of(pod, container) != "Never";
}

}  // namespace proa::kubelet
