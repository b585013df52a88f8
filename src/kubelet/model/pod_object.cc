#include "kubelet/model/pod_object.h"

#include <algorithm>

namespace proa::kubelet::objects {

const api::FieldTable& ContainerPort::table() {
  static constexpr api::FieldEntry kEntries[] = {
      api::entry<&ContainerPort::host_port>("hostPort"),
      api::entry<&ContainerPort::protocol>("protocol"),
      api::entry<&ContainerPort::host_ip>("hostIP"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/ContainerPort", .entries = kEntries};
  return kTable;
}

const api::FieldTable& RestartExitCodes::table() {
  static constexpr api::FieldEntry kEntries[] = {
      api::entry<&RestartExitCodes::op>("operator"),
      api::entry<&RestartExitCodes::values>("values"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/ContainerRestartRuleOnExitCodes",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& RestartRule::table() {
  static constexpr api::FieldEntry kEntries[] = {
      api::entry<&RestartRule::action>("action"),
      api::entry<&RestartRule::exit_codes>("exitCodes"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/ContainerRestartRule", .entries = kEntries};
  return kTable;
}

const api::FieldTable& ResizePolicy::table() {
  static constexpr api::FieldEntry kEntries[] = {
      api::entry<&ResizePolicy::resource>("resourceName"),
      api::entry<&ResizePolicy::restart_policy>("restartPolicy"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/ContainerResizePolicy", .entries = kEntries};
  return kTable;
}

const api::FieldTable& Probe::table() {
  static constexpr api::FieldEntry kEntries[] = {
      api::entry<&Probe::initial_delay_seconds>("initialDelaySeconds"),
      api::entry<&Probe::period_seconds>("periodSeconds"),
      api::entry<&Probe::success_threshold>("successThreshold"),
      api::entry<&Probe::failure_threshold>("failureThreshold"),
      api::entry<&Probe::grace_seconds>("terminationGracePeriodSeconds"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/Probe", .entries = kEntries};
  return kTable;
}

const api::FieldTable& Lifecycle::table() {
  static constexpr api::FieldEntry kEntries[] = {
      api::entry<&Lifecycle::post_start>("postStart"),
      api::entry<&Lifecycle::pre_stop>("preStop"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/Lifecycle", .entries = kEntries};
  return kTable;
}

const api::FieldTable& Container::table() {
  static constexpr api::FieldEntry kEntries[] = {
      api::entry<&Container::name>("name"),
      api::entry<&Container::ports>("ports"),
      api::entry<&Container::resize_policies>("resizePolicy"),
      api::entry<&Container::restart_policy>("restartPolicy"),
      api::entry<&Container::restart_rules>("restartPolicyRules"),
      api::entry<&Container::liveness>("livenessProbe"),
      api::entry<&Container::readiness>("readinessProbe"),
      api::entry<&Container::startup>("startupProbe"),
      api::entry<&Container::lifecycle>("lifecycle"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/Container v1/EphemeralContainer",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& Sysctl::table() {
  static constexpr api::FieldEntry kEntries[] = {
      api::entry<&Sysctl::name>("name"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/Sysctl", .entries = kEntries};
  return kTable;
}

const api::FieldTable& PodSecurityContext::table() {
  static constexpr api::FieldEntry kEntries[] = {
      api::entry<&PodSecurityContext::sysctls>("sysctls"),
      api::entry<&PodSecurityContext::supplemental_groups_policy>("supplementalGroupsPolicy"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/PodSecurityContext", .entries = kEntries};
  return kTable;
}

const api::FieldTable& PodSystem::table() {
  static constexpr api::FieldEntry kEntries[] = {
      api::entry<&PodSystem::name>("name"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/PodOS", .entries = kEntries};
  return kTable;
}

const api::FieldTable& PodSpec::table() {
  static constexpr api::FieldEntry kEntries[] = {
      api::entry<&PodSpec::init_containers>("initContainers"),
      api::entry<&PodSpec::containers>("containers"),
      api::entry<&PodSpec::ephemeral_containers>("ephemeralContainers"),
      api::entry<&PodSpec::restart_policy>("restartPolicy"),
      api::entry<&PodSpec::grace_seconds>("terminationGracePeriodSeconds"),
      api::entry<&PodSpec::active_deadline_seconds>("activeDeadlineSeconds"),
      api::entry<&PodSpec::node>("nodeName"),
      api::entry<&PodSpec::host_network>("hostNetwork"),
      api::entry<&PodSpec::host_ipc>("hostIPC"),
      api::entry<&PodSpec::security>("securityContext"),
      api::entry<&PodSpec::priority>("priority"),
      api::entry<&PodSpec::readiness_gates>("readinessGates"),
      api::entry<&PodSpec::system>("os"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/PodSpec", .entries = kEntries};
  return kTable;
}

const api::FieldTable& PodStatus::table() {
  static constexpr api::FieldEntry kEntries[] = {
      api::entry<&PodStatus::phase>("phase"),
      api::entry<&PodStatus::address>("podIP"),
      api::entry<&PodStatus::started>("startTime"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/PodStatus", .entries = kEntries};
  return kTable;
}

const api::FieldTable& PodAnnotations::table() {
  static constexpr api::FieldEntry kEntries[] = {
      api::entry<&PodAnnotations::hash>("kubernetes.io/config.hash"),
      api::entry<&PodAnnotations::mirror>("kubernetes.io/config.mirror"),
  };
  static constexpr api::FieldTable kTable{.types = api::FieldTable::kMap, .entries = kEntries};
  return kTable;
}

const api::FieldTable& PodMetadata::table() {
  static constexpr api::FieldEntry kEntries[] = {
      api::entry<&PodMetadata::deleted>("deletionTimestamp"),
      api::entry<&PodMetadata::deletion_grace_seconds>("deletionGracePeriodSeconds"),
      api::entry<&PodMetadata::annotations>("annotations"),
  };
  static constexpr api::FieldTable kTable{.types = "meta.k8s.io/v1/ObjectMeta",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& Pod::table() {
  static constexpr api::FieldEntry kEntries[] = {
      api::entry<&Pod::metadata>("metadata"),
      api::entry<&Pod::spec>("spec"),
      api::entry<&Pod::status>("status"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/Pod", .entries = kEntries};
  return kTable;
}

bool RestartExitCodes::matches(int64_t exit_code) const {
  const bool listed = std::find(values.begin(), values.end(), exit_code) != values.end();
  return (op == "In" && listed) || (op == "NotIn" && !listed);
}

const RestartRule* Container::restart_rule(int64_t exit_code) const {
  for (const RestartRule& rule : restart_rules) {
    if (rule.exit_codes && rule.exit_codes->matches(exit_code)) return &rule;
  }
  return nullptr;
}

}  // namespace proa::kubelet::objects
