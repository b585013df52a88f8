#include "sim/scenarios/sets/daemon_rules.h"

#include <fmt/format.h>

#include "api/object/view.h"
#include "controllers/pods/pod_facts.h"
#include "controllers/workload/daemon/daemon_pod.h"

namespace proa::sim {
namespace daemon_rules {

using api::Object;
using controllers::pod_facts;

// Other pods of the same set on the same node.
std::vector<api::ObjectPtr> others_beside(const Object& pod, const PodWatch::Pods& pods) {
  std::vector<api::ObjectPtr> others;
  for (const auto& [name, other] : pods) {
    const bool beside = controllers::target_node(*other) == controllers::target_node(pod) &&
                        controller_uid(*other) == controller_uid(pod);
    if (beside && name != pod.metadata().name) others.push_back(other);
  }
  return others;
}

// The node pool of a pod or template.
std::string pool_of(const Object& object) {
  const json::Document document = object.document().value();
  const api::View spec = api::View(document.root())["spec"];
  const api::View pod = spec["template"].exists() ? spec["template"]["spec"] : spec;
  return std::string(pod["nodeSelector"]["pool"].text());
}

std::string version_of(const Object& object) { return image_of(object) + " " + pool_of(object); }

}  // namespace daemon_rules

DaemonSpec daemon_spec(const api::Object& set) {
  const json::Document document = set.document().value();
  const api::View spec = api::View(document.root())["spec"];
  const api::View strategy = spec["updateStrategy"];
  return {.updates = strategy["type"].text() == "RollingUpdate",
          .surges = strategy["rollingUpdate"]["maxSurge"].integer() > 0,
          .pool = daemon_rules::pool_of(set),
          .version = daemon_rules::version_of(set)};
}

void DaemonRules::begin(Cluster& cluster, bool steady) {
  steady_ = steady;
  watch_.begin(cluster);
}

void DaemonRules::wrote(const api::Object& set) {
  sets_[uid_of(set)].specs.wrote(set, daemon_spec(set));
}

Violations DaemonRules::look(const api::ObjectPtr& set) {
  Violations violations;
  watch_.follow(
      [&](const PodChange& change, const Pods& pods) { judge(change, pods, violations); });
  if (set != nullptr) {
    sets_.at(uid_of(*set)).specs.saw(number_at(*set, "status.observedGeneration"));
  }
  return violations;
}

void DaemonRules::judge(const PodChange& change, const Pods& pods, Violations& violations) {
  const std::string& node = controllers::target_node(change.pod());
  const std::string what = fmt::format("{} on {}", change.pod().metadata().name, node);
  if (change.appears()) {
    if (!may_come(change.pod(), pods)) violations.push_back(what + " is one too many");
    excused_.erase(node);
  }
  if (!change.leaves()) return;
  const auto set = sets_.find(std::string(controller_uid(*change.before)));
  if (removed_pods_.contains(uid_of(*change.before)) ||
      (set != sets_.end() && set->second.removed)) {
    excused_.insert(node);
  } else if (steady_ && (set == sets_.end() || !may_go(set->second, *change.before, pods))) {
    violations.push_back(what + " was removed for no reason");
  }
}

// One per node; during a surge also the old one.
bool DaemonRules::may_come(const api::Object& pod, const Pods& pods) const {
  const auto set = sets_.find(std::string(controller_uid(pod)));
  if (set == sets_.end()) return false;
  const std::string version = daemon_rules::version_of(pod);
  size_t lasting = 0;  // neither finished nor being deleted
  size_t unfinished = 0;
  bool same = false;
  for (const api::ObjectPtr& other : daemon_rules::others_beside(pod, pods)) {
    const controllers::PodFacts& facts = controllers::pod_facts(*other);
    if (facts.finished()) continue;
    ++unfinished;
    if (facts.being_deleted) continue;
    ++lasting;
    if (daemon_rules::version_of(*other) == version) same = true;
  }
  return set->second.specs.may_act_on([&](const DaemonSpec& spec) {
    if (spec.version != version) return false;
    return spec.surges ? lasting <= 1 && !same : unfinished == 0;
  });
}

bool DaemonRules::may_go(const Set& set, const api::Object& pod, const Pods& pods) const {
  if (controllers::pod_facts(pod).finished()) return true;
  const std::vector<api::ObjectPtr> others = daemon_rules::others_beside(pod, pods);
  // One of two: the cache may not show yet that the other one ended or was deleted.
  const bool doubled = excused_.contains(controllers::target_node(pod)) ||
                       std::any_of(others.begin(), others.end(), [](const api::ObjectPtr& other) {
                         return !controllers::pod_facts(*other).being_deleted;
                       });
  if (doubled) return true;
  const std::string version = daemon_rules::version_of(pod);
  return set.specs.may_act_on([&](const DaemonSpec& spec) {
    // With a surge, the new pod must exist first.
    return spec.updates && !spec.surges && spec.version != version;
  });
}

}  // namespace proa::sim
