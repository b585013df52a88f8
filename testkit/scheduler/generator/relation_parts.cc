#include <set>

#include "testkit/scheduler/generator/plot.h"

// Relations between pods: affinity, spreading, and their owners.

namespace proa::testkit::generator {
namespace relation_parts {

constexpr std::string_view kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
constexpr std::string_view kPreferred = "preferredDuringSchedulingIgnoredDuringExecution";

std::string expression(std::string_view key, std::string_view op, const Names& values) {
  std::string text = R"({"key":)" + json_text(key) + R"(,"operator":)" + json_text(op);
  if (!values.empty()) text += R"(,"values":)" + json_list(values);
  return R"({"matchExpressions":[)" + text + "}]}";
}

// A LabelSelector that the pod itself often matches; empty if absent. Never uses "version", which
// is for matchLabelKeys.
std::string random_selector(Dice& dice, const PodPlan& pod) {
  const std::string_view own = pod.label("app");
  const std::string app = !own.empty() && dice.percent(70) ? std::string(own) : random_app(dice);
  switch (dice.below(12)) {
    case 0:
      return "";
    case 1:
      return "{}";
    case 2:
      return expression("app", "In", {app, random_app(dice)});
    case 3:
      return expression("app", "NotIn", {app});
    case 4:
      return expression("tier", "Exists", {});
    case 5:
      return expression("tier", "DoesNotExist", {});
    case 6:
      return R"({"matchLabels":)" +
             json_map({{"app", app}, {"tier", dice.pick({"front", "back"})}}) + "}";
    default:
      return R"({"matchLabels":)" + json_map({{"app", app}}) + "}";
  }
}

std::string random_namespaces(Dice& dice) {
  switch (dice.below(5)) {
    case 0:
      return R"(,"namespaces":)" + json_list({dice.pick({"default", "team-a", "team-b"})});
    case 1:
      return R"(,"namespaceSelector":{})";
    case 2:
      return R"(,"namespaceSelector":{"matchLabels":{"env":)" +
             json_text(dice.pick({"prod", "test"})) + "}}";
    case 3:
      return R"(,"namespaces":["team-a"],"namespaceSelector":{"matchExpressions":)"
             R"([{"key":"env","operator":"Exists"}]})";
    default:
      return "";
  }
}

// Namespaces and keys use the random streams of their own features, so that these can be disabled.
std::string random_term(const Plot& plot, Dice& dice, const PodPlan& pod) {
  const uint64_t which = dice.below(1 << 30);
  std::string term = R"({"topologyKey":)" + json_text(random_topology_key(dice));
  const std::string selector = random_selector(dice, pod);
  if (!selector.empty()) term += R"(,"labelSelector":)" + selector;
  if (plot.has(Feature::kNamespacesOfTerms)) {
    Dice own = plot.dice(Feature::kNamespacesOfTerms, which);
    term += random_namespaces(own);
  }
  if (plot.has(Feature::kLabelKeys) && !selector.empty()) {
    Dice own = plot.dice(Feature::kLabelKeys, which);
    if (own.percent(40)) {
      term +=
          "," + json_text(own.pick({"matchLabelKeys", "mismatchLabelKeys"})) + R"(:["version"])";
    }
  }
  return term + "}";
}

void require_pods(const Plot& plot, Dice& dice, PodPlan& pod, std::string_view kind) {
  std::string terms = random_term(plot, dice, pod);
  if (dice.percent(25)) terms += "," + random_term(plot, dice, pod);
  pod.builder.spec_json(std::string("affinity.").append(kind).append(".").append(kRequired),
                        "[" + terms + "]");
}

void require_affinity(const Plot& plot, Dice& dice, PodPlan& pod) {
  if (dice.percent(pod.runs() ? 10 : 35)) require_pods(plot, dice, pod, "podAffinity");
}

void require_anti_affinity(const Plot& plot, Dice& dice, PodPlan& pod) {
  if (dice.percent(pod.runs() ? 8 : 35)) require_pods(plot, dice, pod, "podAntiAffinity");
}

void prefer_pods(const Plot& plot, Dice& dice, PodPlan& pod) {
  for (const std::string_view kind : {"podAffinity", "podAntiAffinity"}) {
    if (!dice.percent(30)) continue;
    std::string terms;
    for (int count = dice.between(1, 2); count > 0; --count) {
      terms += (terms.empty() ? "" : ",") +
               (R"({"weight":)" + std::to_string(dice.between(1, 100))) + R"(,"podAffinityTerm":)" +
               random_term(plot, dice, pod) + "}";
    }
    pod.builder.spec_json(std::string("affinity.").append(kind).append(".").append(kPreferred),
                          "[" + terms + "]");
  }
}

std::string random_policy(Dice& dice, std::string_view name) {
  const std::string policy = dice.pick({"", "", "Honor", "Ignore"});
  return policy.empty() ? "" : "," + json_text(name) + ":" + json_text(policy);
}

void spread(const Plot& plot, Dice& dice, PodPlan& pod, bool hard) {
  std::set<std::string> seen;
  for (int count = dice.between(1, 2); count > 0; --count) {
    const uint64_t which = dice.below(1 << 30);
    const std::string key = random_topology_key(dice);
    if (!seen.insert(key).second) continue;
    std::string text = R"({"maxSkew":)" + std::to_string(dice.between(1, 3)) +
                       R"(,"topologyKey":)" + json_text(key) + R"(,"whenUnsatisfiable":)" +
                       json_text(hard ? "DoNotSchedule" : "ScheduleAnyway");
    const std::string selector = random_selector(dice, pod);
    if (!selector.empty()) text += R"(,"labelSelector":)" + selector;
    if (hard && dice.percent(30)) text += R"(,"minDomains":)" + std::to_string(dice.between(1, 4));
    text += random_policy(dice, "nodeAffinityPolicy") + random_policy(dice, "nodeTaintsPolicy");
    if (plot.has(Feature::kLabelKeys) && !selector.empty() &&
        plot.dice(Feature::kLabelKeys, which).percent(40)) {
      text += R"(,"matchLabelKeys":["version"])";
    }
    pod.builder.spread_json(text + "}");
  }
}

void spread_hard(const Plot& plot, Dice& dice, PodPlan& pod) {
  if (dice.percent(pod.runs() ? 3 : 45)) spread(plot, dice, pod, true);
}

void spread_soft(const Plot& plot, Dice& dice, PodPlan& pod) {
  if (dice.percent(pod.runs() ? 3 : 45)) spread(plot, dice, pod, false);
}

// What owns the pods of an app in a namespace.
struct Ownership {
  std::string_view api_version;
  std::string_view kind;
};
constexpr Ownership kOwnerships[] = {{"apps/v1", "ReplicaSet"},
                                     {"apps/v1", "StatefulSet"},
                                     {"v1", "ReplicationController"},
                                     {"apps/v1", "DaemonSet"}};  // unknown to the scheduler

const Ownership& ownership_of(std::string_view name_space, std::string_view app) {
  return kOwnerships[(name_space.back() + app.front()) % std::size(kOwnerships)];
}

void own_pod(const Plot&, Dice& dice, PodPlan& pod) {
  const std::string_view app = pod.label("app");
  if (app.empty() || !dice.percent(70)) return;
  const Ownership& owner = ownership_of(pod.name_space, app);
  // Some owners are already deleted.
  pod.builder.owner(owner.api_version, owner.kind,
                    dice.percent(90) ? std::string(app) + "-set" : "gone");
}

void add_owner(TestCluster& cluster, Dice& dice, std::string_view name_space,
               std::string_view app) {
  const Ownership& owner = ownership_of(name_space, app);
  const std::string name = std::string(app) + "-set";
  Pairs labels = {{"app", std::string(app)}};
  if (dice.percent(25)) labels.emplace_back("tier", "front");
  if (owner.kind == "ReplicaSet") {
    cluster.replica_sets.push_back(make_replica_set(name).in(name_space).selector(labels).object());
  } else if (owner.kind == "StatefulSet") {
    cluster.stateful_sets.push_back(
        make_stateful_set(name).in(name_space).selector(labels).object());
  } else if (owner.kind == "ReplicationController") {
    cluster.replication_controllers.push_back(
        make_replication_controller(name).in(name_space).selector(labels).object());
  }
}

constexpr Part kParts[] = {
    {Feature::kPodAffinity, nullptr, require_affinity},
    {Feature::kPodAntiAffinity, nullptr, require_anti_affinity},
    {Feature::kPreferredPods, nullptr, prefer_pods},
    {Feature::kHardSpread, nullptr, spread_hard},
    {Feature::kSoftSpread, nullptr, spread_soft},
    {Feature::kOwners, nullptr, own_pod},
};

}  // namespace relation_parts

std::span<const Part> parts_of_relations() { return relation_parts::kParts; }

void add_owners(const Plot& plot, TestCluster& cluster) {
  if (!plot.has(Feature::kOwners)) return;
  Dice dice = plot.dice(Feature::kOwners, uint64_t{1} << 40);
  for (const std::string& name_space : namespaces_of(plot)) {
    for (const std::string_view app : {"web", "db", "cache"}) {
      relation_parts::add_owner(cluster, dice, name_space, app);
      if (!dice.percent(50)) continue;
      Pairs labels = {{"app", std::string(app)}};
      if (dice.percent(20)) labels.emplace_back("tier", "back");
      cluster.services.push_back(make_service(app).in(name_space).selector(labels).object());
    }
  }
}

}  // namespace proa::testkit::generator
