#include "controllers/node/node_taints.h"

#include <algorithm>

#include "controllers/framework/conditions.h"

namespace proa::controllers::nodes {
namespace node_marks {

using api::View;

// Taints that this controller manages with the effect NoSchedule, by the node's conditions.
constexpr std::string_view kOurs[] = {
    kTaintNotReady,
    kTaintUnreachable,
    "node.kubernetes.io/memory-pressure",
    "node.kubernetes.io/disk-pressure",
    "node.kubernetes.io/network-unavailable",
    "node.kubernetes.io/pid-pressure",
    "node.kubernetes.io/unschedulable",
};

void want(const NodeFacts& node, std::string_view key, std::string_view effect, bool wanted,
          TaintChange& change) {
  if (node.has_taint(key, effect) == wanted) return;
  std::vector<Taint>& list = wanted ? change.add : change.remove;
  list.push_back({.key = std::string(key), .effect = std::string(effect)});
}

bool is_among(const std::vector<Taint>& taints, View taint) {
  return std::any_of(taints.begin(), taints.end(), [&](const Taint& one) {
    return one.is(taint["key"].text(), taint["effect"].text());
  });
}

// Conditions that the kubelet posts; NetworkUnavailable is posted by others.
constexpr std::string_view kOfKubelets[] = {"Ready", "MemoryPressure", "DiskPressure",
                                            "PIDPressure"};

}  // namespace node_marks

TaintChange plan_taints(const NodeFacts& node, DrivenBy wanted) {
  TaintChange change;
  for (const std::string_view key : node_marks::kOurs) {
    const bool called_for = std::find(node.required_taints.begin(), node.required_taints.end(),
                                      key) != node.required_taints.end();
    node_marks::want(node, key, kNoSchedule, called_for, change);
  }
  if (wanted == DrivenBy::kAsItIs) return change;
  node_marks::want(node, kTaintNotReady, kNoExecute, wanted == DrivenBy::kNotReady, change);
  node_marks::want(node, kTaintUnreachable, kNoExecute, wanted == DrivenBy::kUnreachable, change);
  return change;
}

void change_taints(api::Edit node, const TaintChange& change, Time now) {
  const api::Edit spec = node.object("spec");
  json::Value taints = json::Value::array();
  for (const api::View taint : spec["taints"].items()) {
    if (node_marks::is_among(change.remove, taint)) continue;
    taints.push_back(spec.arena(), taint.value()->copy(spec.arena()));
  }
  spec.set("taints", std::move(taints));
  const api::Edit list = spec.array("taints");
  for (const Taint& taint : change.add) {
    const api::Edit added = list.push_object();
    added.set("key", taint.key);
    added.set("effect", taint.effect);
    added.set("timeAdded", format_time(now));
  }
  if (list.size() == 0) spec.remove("taints");
}

void set_unknown(api::Edit node, Time now) {
  const std::string created(node["metadata"]["creationTimestamp"].text());
  const api::Edit status = node.object("status");
  for (const std::string_view type : node_marks::kOfKubelets) {
    const api::View before = find_condition(status.view(), type);
    if (before["status"].text() == "Unknown") continue;
    if (before.exists()) {
      set_condition(status,
                    {type, "Unknown", "NodeStatusUnknown", "Kubelet stopped posting node status."},
                    now);
      continue;
    }
    set_condition(status,
                  {type, "Unknown", "NodeStatusNeverUpdated", "Kubelet never posted node status."},
                  now);
    const api::Edit list = status.array("conditions");
    list.item(list.size() - 1).set("lastHeartbeatTime", created);
  }
}

}  // namespace proa::controllers::nodes
