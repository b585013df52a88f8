#include "sim/scenarios/sets/stateful_rules.h"

#include <fmt/format.h>

#include "api/object/view.h"
#include "controllers/pods/pod_facts.h"
#include "controllers/workload/stateful/ordinals.h"

namespace proa::sim {
namespace stateful_rules {

using api::Object;

// Whether `judge` holds for all pods of the same set with higher ordinals.
template <typename Judge>
bool all_above(const PodWatch::Pods& pods, const std::string& set, const Object& pod,
               int64_t ordinal, const Judge& judge) {
  for (const auto& [name, other] : pods) {
    const auto number = controllers::stateful_ordinal(set, name);
    if (!number || *number <= ordinal || controller_uid(*other) != controller_uid(pod)) continue;
    if (!judge(*number, *other)) return false;
  }
  return true;
}

}  // namespace stateful_rules

StatefulSpec stateful_spec(const api::Object& set) {
  const json::Document document = set.document().value();
  const api::View spec = api::View(document.root())["spec"];
  const api::View strategy = spec["updateStrategy"];
  return {.start = spec["ordinals"]["start"].integer(),
          .replicas = spec["replicas"].integer(),
          .partition = strategy["rollingUpdate"]["partition"].integer(),
          .updates = strategy["type"].text() == "RollingUpdate",
          .image = image_of(set)};
}

void StatefulRules::wrote(const api::Object& set) {
  Set& known = sets_[uid_of(set)];
  known.ordered = text_at(set, "spec.podManagementPolicy") == "OrderedReady";
  known.specs.wrote(set, stateful_spec(set));
}

Violations StatefulRules::look(const api::ObjectPtr& set) {
  Violations violations;
  watch_.follow(
      [&](const PodChange& change, const Pods& pods) { judge(change, pods, violations); });
  if (set != nullptr) {
    sets_.at(uid_of(*set)).specs.saw(number_at(*set, "status.observedGeneration"));
  }
  return violations;
}

bool StatefulRules::surely_wanted(int64_t ordinal) const {
  return std::none_of(sets_.begin(), sets_.end(), [&](const auto& set) {
    return set.second.specs.may_act_on(
        [&](const StatefulSpec& spec) { return !spec.wants(ordinal); });
  });
}

void StatefulRules::judge(const PodChange& change, const Pods& pods, Violations& violations) {
  const std::string name(change.pod().metadata().name);
  const auto ordinal = controllers::stateful_ordinal(name_, name);
  if (!ordinal) {
    violations.push_back(name + " is a name for no pod of the set");
    return;
  }
  if (controllers::pod_facts(change.pod()).ready) served_.insert(uid_of(change.pod()));
  if (change.appears()) {
    if (!may_come(change.pod(), *ordinal, pods))
      violations.push_back(name + " should not have come yet");
    excused_.erase(*ordinal);
  }
  if (!change.leaves()) return;
  const auto set = sets_.find(std::string(controller_uid(*change.before)));
  if (removed_pods_.contains(uid_of(*change.before)) ||
      (set != sets_.end() && set->second.removed)) {
    excused_.insert(*ordinal);
  } else if (set == sets_.end() || !may_go(*change.before, *ordinal, pods)) {
    violations.push_back(name + " was removed for no reason");
  }
}

bool StatefulRules::may_come(const api::Object& pod, int64_t ordinal, const Pods& pods) const {
  const auto set = sets_.find(std::string(controller_uid(pod)));
  if (set == sets_.end()) return false;
  return set->second.specs.may_act_on([&](const StatefulSpec& spec) {
    if (!spec.wants(ordinal)) return false;
    return !set->second.ordered || predecessors_served(spec.start, ordinal, pods);
  });
}

// They were ready at some time: the cache may not show yet that they are no longer.
bool StatefulRules::predecessors_served(int64_t first, int64_t ordinal, const Pods& pods) const {
  for (int64_t one = first; one < ordinal; ++one) {
    if (excused_.contains(one)) continue;
    const auto found = pods.find(pod_name(one));
    if (found == pods.end() || !served_.contains(uid_of(*found->second))) return false;
  }
  return true;
}

bool StatefulRules::may_go(const api::Object& pod, int64_t ordinal, const Pods& pods) const {
  const Set& set = sets_.at(std::string(controller_uid(pod)));
  const bool finished = controllers::pod_facts(pod).finished();
  const std::string image = image_of(pod);
  return set.specs.may_act_on([&](const StatefulSpec& spec) {
    const auto all_above = [&](const auto& judge) {
      return stateful_rules::all_above(pods, name_, pod, ordinal, judge);
    };
    if (!spec.wants(ordinal)) {
      // Highest ordinal first.
      return !set.ordered ||
             all_above([&](int64_t other, const api::Object&) { return spec.wants(other); });
    }
    if (finished) return true;
    const bool outdated = image != spec.image;
    if (!spec.updates || ordinal < spec.start + spec.partition || !outdated) return false;
    return all_above([&](int64_t other, const api::Object& above) {
      return !spec.wants(other) || image_of(above) == spec.image;
    });
  });
}

}  // namespace proa::sim
