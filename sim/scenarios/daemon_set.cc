#include <fmt/format.h>

#include <algorithm>

#include "api/object/view.h"
#include "controllers/workload/daemon/daemon_pod.h"
#include "sim/scenarios/checks.h"
#include "sim/scenarios/scenarios.h"
#include "sim/scenarios/sets/daemon_rules.h"
#include "sim/scenarios/sets/nodes.h"
#include "sim/scenarios/sets/revisions.h"

namespace proa::sim {
namespace daemon_set {

constexpr const char* kName = "agent";
constexpr const char* kResource = "daemonsets";

std::string label_of(const api::Object& object, std::string_view label) {
  const std::string_view* value = object.metadata().label(label);
  return value == nullptr ? std::string() : std::string(*value);
}

class DaemonSets final : public Scenario {
 public:
  void begin(Cluster& cluster) override {
    steady_ = cluster.below(2) == 0;
    rules_.begin(cluster, steady_);
    for (const api::ObjectPtr& node : nodes(cluster)) {
      names_.emplace_back(node->metadata().name);
      put_in_pool(cluster, names_.back(), "\"a\"");
    }
    create(cluster);
  }

  void act(Cluster& cluster) override {
    const api::ObjectPtr set = find(cluster);
    if (set == nullptr) {
      create(cluster);
      return;
    }
    switch (cluster.below(12)) {
      case 0:
      case 1:
      case 2:
        change(cluster, template_text(cluster));
        return;
      case 3:
        change(cluster, strategy_text(cluster));
        return;
      case 4:
        change(cluster, fmt::format(R"("revisionHistoryLimit":{})", cluster.below(3)));
        return;
      case 5:
        if (roll_back(cluster, kResource, *set)) wrote(cluster);
        return;
      case 6:
      case 7:
        remove_some_pod(cluster);
        return;
      case 8:
        remove(cluster, *set);
        return;
      default:
        change_some_node(cluster);
    }
  }

  Violations violations_now(Cluster& cluster) override { return rules_.look(find(cluster)); }

  Violations violations_at_rest(Cluster& cluster, const Kubelets&) override {
    Violations violations = leaks(cluster);
    const api::ObjectPtr set = find(cluster);
    if (set == nullptr) return violations;
    const std::string newest = check_revisions(cluster, *set, violations);
    check_nodes(cluster, *set, newest, violations);
    return violations;
  }

 private:
  // Each node has the right number of pods, all up to date.
  void check_nodes(Cluster& cluster, const api::Object& set, const std::string& newest,
                   Violations& violations) const {
    const DaemonSpec spec = daemon_spec(set);
    std::map<std::string, std::vector<api::ObjectPtr>> pods;  // by node
    for (const api::ObjectPtr& pod : cluster.list("", "pods")) {
      pods[controllers::target_node(*pod)].push_back(pod);
    }
    int64_t desired = 0;
    int64_t misscheduled = 0;
    int64_t updated = 0;
    for (const api::ObjectPtr& node : nodes(cluster)) {
      const std::string name(node->metadata().name);
      const NodeVerdict verdict = judge_node(*node, spec.pool);
      const std::vector<api::ObjectPtr> here = std::move(pods[name]);
      pods.erase(name);
      const int64_t count = static_cast<int64_t>(here.size());
      const bool right =
          verdict.may_start ? count == 1 : count == 0 || (verdict.may_stay && count == 1);
      if (!right) violations.push_back(fmt::format("{} pods on {}", count, name));
      if (verdict.may_start) {
        ++desired;
      } else if (count > 0) {
        ++misscheduled;
      }
      for (const api::ObjectPtr& pod : here) {
        const bool current = is_current(set, *pod, newest);
        if (current && verdict.may_start) ++updated;
        if (spec.updates && !current) violations.push_back(name + " has an old pod");
      }
    }
    for (const auto& [node, left] : pods) violations.push_back("pods are left on " + node);
    check_status(set, desired, misscheduled, updated, violations);
  }

  // A recreated set numbers its templates from one again, so leftover pods may count as current. As
  // upstream's IsPodUpdated.
  static bool is_current(const api::Object& set, const api::Object& pod,
                         const std::string& newest) {
    const json::Document document = set.document().value();
    const api::View annotations = api::View(document.root())["metadata"]["annotations"];
    return label_of(pod, "controller-revision-hash") == newest ||
           label_of(pod, "pod-template-generation") ==
               annotations["deprecated.daemonset.template.generation"].text();
  }

  static void check_status(const api::Object& set, int64_t desired, int64_t misscheduled,
                           int64_t updated, Violations& violations) {
    const auto expect = [&](const char* field, int64_t wanted) {
      expect_equal(violations, field, number_at(set, std::string("status.") + field), wanted);
    };
    expect("desiredNumberScheduled", desired);
    expect("currentNumberScheduled", desired);
    expect("numberReady", desired);
    expect("numberAvailable", desired);
    expect("numberUnavailable", 0);
    expect("numberMisscheduled", misscheduled);
    expect("updatedNumberScheduled", updated);
    expect("observedGeneration", set.metadata().generation);
  }

  // The hash of the newest revision, which is the template's.
  static std::string check_revisions(Cluster& cluster, const api::Object& set,
                                     Violations& violations) {
    std::vector<api::ObjectPtr> revisions = revisions_of(cluster, set);
    check_newest_revision(revisions, set, violations);
    if (revisions.empty()) return {};
    const api::ObjectPtr newest = revisions.back();
    revisions.pop_back();
    std::set<std::string> used;
    for (const api::ObjectPtr& pod : cluster.list("", "pods")) {
      used.insert(label_of(*pod, "controller-revision-hash"));
    }
    const bool needed = std::all_of(revisions.begin(), revisions.end(), [&](const auto& one) {
      return used.contains(label_of(*one, "controller-revision-hash"));
    });
    const auto old = static_cast<int64_t>(revisions.size());
    if (!needed && old > number_at(set, "spec.revisionHistoryLimit")) {
      violations.push_back(fmt::format("{} old revisions are kept", old));
    }
    return label_of(*newest, "controller-revision-hash");
  }

  static std::vector<api::ObjectPtr> nodes(Cluster& cluster) {
    return cluster.world().list("", "nodes", "");
  }

  // Null also while it is being deleted.
  static api::ObjectPtr find(Cluster& cluster) {
    const api::ObjectPtr set = cluster.get("apps", kResource, kName);
    return set == nullptr || set->metadata().being_deleted ? nullptr : set;
  }

  std::string template_text(Cluster& cluster) const {
    const uint64_t image = cluster.below(4);
    const bool everywhere = !steady_ && cluster.below(3) == 0;
    return fmt::format(R"("template":{{"metadata":{{"labels":{{"app":"agent"}}}},"spec":{{{})"
                       R"("containers":[{{"name":"c","image":"i:{}"}}]}}}})",
                       everywhere ? R"("nodeSelector":null,)" : R"("nodeSelector":{"pool":"a"},)",
                       image);
  }
  static std::string strategy_text(Cluster& cluster) {
    switch (cluster.below(4)) {
      case 0:
        return R"("updateStrategy":{"type":"OnDelete","rollingUpdate":null})";
      case 1:
        return R"("updateStrategy":{"type":"RollingUpdate",)"
               R"("rollingUpdate":{"maxUnavailable":0,"maxSurge":1}})";
      default:
        return fmt::format(R"("updateStrategy":{{"type":"RollingUpdate",)"
                           R"("rollingUpdate":{{"maxUnavailable":{},"maxSurge":0}}}})",
                           1 + cluster.below(2));
    }
  }

  void create(Cluster& cluster) {
    std::string spec = template_text(cluster);
    if (cluster.below(2) == 0) spec += "," + strategy_text(cluster);
    if (cluster.below(3) == 0) spec += R"(,"minReadySeconds":5)";
    const bool created =
        cluster.create("apps", kResource,
                       fmt::format(R"({{"metadata":{{"name":"{}"}},"spec":{{{},)"
                                   R"("selector":{{"matchLabels":{{"app":"agent"}}}}}}}})",
                                   kName, spec));
    if (created) wrote(cluster);
  }

  void change(Cluster& cluster, const std::string& spec) {
    if (cluster.patch("apps", kResource, kName, "{\"spec\":{" + spec + "}}")) wrote(cluster);
  }

  void wrote(Cluster& cluster) { rules_.wrote(*find(cluster)); }

  void remove_some_pod(Cluster& cluster) {
    const std::vector<api::ObjectPtr> pods = cluster.list("", "pods");
    if (pods.empty()) return;
    const api::Object& pod = *pods[cluster.below(pods.size())];
    rules_.removes_pod(pod);
    cluster.remove("", "pods", pod.metadata().name, api::Propagation::kBackground);
  }

  void remove(Cluster& cluster, const api::Object& set) {
    constexpr api::Propagation kWays[] = {api::Propagation::kBackground,
                                          api::Propagation::kForeground, api::Propagation::kOrphan};
    rules_.removes_set(set);
    cluster.remove("apps", kResource, kName, kWays[cluster.below(3)]);
  }

  void change_some_node(Cluster& cluster) {
    const std::string& name = names_[cluster.below(names_.size())];
    const api::ObjectPtr node = cluster.world().get("", "nodes", "", name);
    // DaemonSets ignore cordons.
    const bool cordons = cluster.below(2) == 0;
    if (steady_) {
      cordon(cluster, name, cordons);
      return;
    }
    if (node == nullptr) {
      bring_back(cluster, name);
      return;
    }
    switch (cluster.below(8)) {
      case 0:
        cordon(cluster, name, cordons);
        return;
      case 1:
      case 2:
        put_in_pool(cluster, name, "\"a\"");
        return;
      case 3:
        put_in_pool(cluster, name, "null");
        return;
      case 4:
        taint(cluster, *node, "NoSchedule");
        return;
      case 5:
        taint(cluster, *node, "NoExecute");
        return;
      case 6:
        taint(cluster, *node, "");
        return;
      default:
        cluster.world().remove("", "nodes", "", name);
    }
  }

  DaemonRules rules_;
  bool steady_ = false;             // nodes do not change
  std::vector<std::string> names_;  // of nodes
};

}  // namespace daemon_set

std::unique_ptr<Scenario> make_daemon_set() { return std::make_unique<daemon_set::DaemonSets>(); }

}  // namespace proa::sim
