#include "kubelet/pod/allocation/admit.h"

#include <algorithm>

#include "kinds/core/placement/node_selector.h"
#include "kinds/core/placement/tolerations.h"
#include "kubelet/pod/allocation/node_fit.h"
#include "kubelet/pod/allocation/sysctls.h"

namespace proa::kubelet {
namespace admit_rules {

using api::View;

constexpr std::string_view kThisSystem = "linux";

Refusal check_system(const Pod& pod, View node) {
  // Upstream checks the pod's label here, not its selector.
  const View label = pod.metadata()["labels"]["kubernetes.io/os"];
  if (label && label.text() != kThisSystem) {
    return {.reason = "PodOSSelectorNodeLabelDoesNotMatch",
            .message =
                "Failed to admit pod as the `kubernetes.io/os` label doesn't match node "
                "label"};
  }
  const std::optional<objects::PodSystem>& system = pod.fields().spec.system;
  if (system && system->name != kThisSystem) {
    return {.reason = "PodOSNotSupported",
            .message = "Failed to admit pod as the OS field doesn't match node OS"};
  }
  const bool strict = pod.fields().spec.security.supplemental_groups_policy == "Strict";
  if (strict && !node["status"]["features"]["supplementalGroupsPolicy"].flag()) {
    return {.reason = "SupplementalGroupsPolicyNotSupported",
            .message = "SupplementalGroupsPolicy=Strict is not supported in this node"};
  }
  return {};
}

bool selects(View spec, const api::Metadata& node) {
  for (const json::Member& wanted : spec["nodeSelector"].members()) {
    const std::string_view* value = node.label(wanted.key);
    if (value == nullptr || *value != View(wanted.value).text()) return false;
  }
  const View required =
      spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"];
  return !required || kinds::pods::NodeSelector(required).matches(node);
}

Refusal check_place(const Pod& pod, const api::Object& node) {
  if (!selects(pod.spec(), node.metadata())) {
    return {.reason = "NodeAffinity",
            .message =
                "Predicate NodeAffinity failed: node(s) didn't match Pod's node "
                "affinity/selector"};
  }
  const std::string_view wanted = pod.fields().spec.node;
  if (!wanted.empty() && wanted != node.metadata().name) {
    return {.reason = "NodeName",
            .message = "Predicate NodeName failed: node(s) didn't match the requested node name"};
  }
  return {};
}

// Static pods tolerate all taints.
Refusal check_taints(const Pod& pod, const api::Object& node) {
  if (pod.is_static()) return {};
  const auto& tolerations = kinds::pods::tolerations_of(*pod.object());
  for (const kinds::pods::Taint& taint : kinds::pods::taints_of(node)) {
    if (taint.effect != kinds::pods::kNoExecute) continue;
    const bool borne = std::any_of(tolerations.begin(), tolerations.end(), [&](const auto& one) {
      return kinds::pods::tolerates(one, taint);
    });
    if (borne) continue;
    return {.reason = "TaintToleration",
            .message =
                "Predicate TaintToleration failed: node(s) had taints that the pod didn't "
                "tolerate"};
  }
  return {};
}

}  // namespace admit_rules

Refusal admit(const Pod& pod, const api::Object& node, const std::vector<PodPtr>& others) {
  const std::string sysctl = find_forbidden_sysctl(pod.fields().spec);
  if (!sysctl.empty()) return {.reason = "SysctlForbidden", .message = sysctl};
  const auto document = node.document();
  if (!document.ok()) {
    return {.reason = "InvalidNodeInfo", .message = "Kubelet cannot get node info."};
  }
  const api::View root = document->root();
  Refusal refusal = admit_rules::check_system(pod, root);
  if (refusal.reason.empty()) refusal = check_resources(pod, root, others);
  if (refusal.reason.empty()) refusal = admit_rules::check_place(pod, node);
  if (refusal.reason.empty()) refusal = check_ports(pod, others);
  if (refusal.reason.empty()) refusal = admit_rules::check_taints(pod, node);
  return refusal;
}

}  // namespace proa::kubelet
