#include <fmt/format.h>

#include "sim/scenarios/checks.h"
#include "sim/scenarios/scenarios.h"
#include "sim/scenarios/sets/revisions.h"
#include "sim/scenarios/sets/stateful_claims.h"
#include "sim/scenarios/sets/stateful_rules.h"

namespace proa::sim {
namespace stateful_set {

constexpr const char* kName = "web";
constexpr const char* kResource = "statefulsets";
constexpr const char* kClaims = "persistentvolumeclaims";
// Claims of a volume that never exists: storage is not simulated, and kubelets ignore it.
constexpr const char* kClaimTemplates =
    R"(,"volumeClaimTemplates":[{"metadata":{"name":"data"},"spec":{"storageClassName":"",)"
    R"("volumeName":"none","accessModes":["ReadWriteOnce"],)"
    R"("resources":{"requests":{"storage":"1Gi"}}}}])";

std::string revision_of(const api::Object& pod) {
  const std::string_view* label = pod.metadata().label("controller-revision-hash");
  return label == nullptr ? std::string() : std::string(*label);
}

class StatefulSets final : public Scenario {
 public:
  void begin(Cluster& cluster) override {
    rules_.begin(cluster);
    has_claims_ = cluster.below(3) != 0;
    policy_changes_ = cluster.below(3) == 0;
    retention_ = retention_text(cluster);
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
        change(cluster, replicas_text(cluster));
        return;
      case 3:
      case 4:
        change(cluster, template_text(cluster));
        return;
      case 5:
        change(cluster, strategy_text(cluster));
        return;
      case 6:
        change_rarely(cluster);
        return;
      case 7:
        if (roll_back(cluster, kResource, *set)) wrote(cluster);
        return;
      case 8:
      case 9:
        remove_some_pod(cluster);
        return;
      case 10:
        remove_some_claim(cluster);
        return;
      default:
        remove(cluster, *set);
    }
  }

  Violations violations_now(Cluster& cluster) override {
    Violations violations = claims_.look(cluster, rules_);
    for (std::string& one : rules_.look(find(cluster))) violations.push_back(std::move(one));
    return violations;
  }

  Violations violations_at_rest(Cluster& cluster, const Kubelets&) override {
    Violations violations = leaks(cluster);
    const api::ObjectPtr set = find(cluster);
    for (std::string& one : claims_.at_rest(cluster, has_claims_ ? set : nullptr)) {
      violations.push_back(std::move(one));
    }
    if (set == nullptr) return violations;
    check_pods(cluster, *set, violations);
    check_status(cluster, *set, violations);
    check_revisions(cluster, *set, violations);
    return violations;
  }

 private:
  // Exactly the wanted pods, with the newest template where required.
  static void check_pods(Cluster& cluster, const api::Object& set, Violations& violations) {
    const StatefulSpec spec = stateful_spec(set);
    const auto pods = controlled_by(active_pods(cluster), set.metadata().uid);
    expect_equal(violations, "number of pods",
                 static_cast<int64_t>(cluster.list("", "pods").size()), spec.replicas);
    expect_equal(violations, "number of its pods", static_cast<int64_t>(pods.size()),
                 spec.replicas);
    for (int64_t i = spec.start; i < spec.start + spec.replicas; ++i) {
      const std::string name = fmt::format("{}-{}", kName, i);
      const api::ObjectPtr pod = cluster.get("", "pods", name);
      if (pod == nullptr) {
        violations.push_back(name + " is missing");
      } else if (spec.updates && i >= spec.start + spec.partition) {
        expect_equal(violations, "image of " + name, image_of(*pod), spec.image);
      }
    }
  }

  static void check_status(Cluster& cluster, const api::Object& set, Violations& violations) {
    const StatefulSpec spec = stateful_spec(set);
    const std::string current = text_at(set, "status.currentRevision");
    const std::string update = text_at(set, "status.updateRevision");
    int64_t of_current = 0;
    int64_t updated = 0;
    for (const api::ObjectPtr& pod : controlled_by(active_pods(cluster), set.metadata().uid)) {
      if (revision_of(*pod) == current) ++of_current;
      if (revision_of(*pod) == update) ++updated;
    }
    const auto expect = [&](const char* field, int64_t wanted) {
      expect_equal(violations, field, number_at(set, std::string("status.") + field), wanted);
    };
    expect("replicas", spec.replicas);
    expect("readyReplicas", spec.replicas);
    expect("availableReplicas", spec.replicas);
    expect("currentReplicas", of_current);
    expect("updatedReplicas", updated);
    expect("observedGeneration", set.metadata().generation);
    if (spec.updates && updated == spec.replicas) {
      expect_equal(violations, "currentRevision", current, update);
    }
  }

  // The newest revision is the template's, and few unused ones are kept.
  static void check_revisions(Cluster& cluster, const api::Object& set, Violations& violations) {
    const std::vector<api::ObjectPtr> revisions = revisions_of(cluster, set);
    check_newest_revision(revisions, set, violations);
    if (revisions.empty()) return;
    expect_equal(violations, "updateRevision", text_at(set, "status.updateRevision"),
                 revisions.back()->metadata().name);
    std::set<std::string> used{text_at(set, "status.updateRevision"),
                               text_at(set, "status.currentRevision")};
    for (const api::ObjectPtr& pod : cluster.list("", "pods")) used.insert(revision_of(*pod));
    int64_t unused = 0;
    for (const api::ObjectPtr& revision : revisions) {
      if (used.erase(std::string(revision->metadata().name)) == 0) ++unused;
    }
    for (const std::string& name : used) violations.push_back("revision " + name + " is missing");
    if (unused > number_at(set, "spec.revisionHistoryLimit")) {
      violations.push_back(fmt::format("{} old revisions are kept", unused));
    }
  }

  // Null also while it is being deleted.
  static api::ObjectPtr find(Cluster& cluster) {
    const api::ObjectPtr set = cluster.get("apps", kResource, kName);
    return set == nullptr || set->metadata().being_deleted ? nullptr : set;
  }

  static std::string replicas_text(Cluster& cluster) {
    return fmt::format(R"("replicas":{})", cluster.below(5));
  }
  static std::string template_text(Cluster& cluster) {
    return fmt::format(R"("template":{{"metadata":{{"labels":{{"app":"web"}}}},)"
                       R"("spec":{{"containers":[{{"name":"c","image":"i:{}"}}]}}}})",
                       cluster.below(4));
  }
  static std::string strategy_text(Cluster& cluster) {
    if (cluster.below(3) == 0)
      return R"("updateStrategy":{"type":"OnDelete","rollingUpdate":null})";
    return fmt::format(
        R"("updateStrategy":{{"type":"RollingUpdate","rollingUpdate":{{"partition":{}}}}})",
        cluster.below(2) == 0 ? 0 : cluster.below(4));
  }
  static std::string start_text(Cluster& cluster) {
    return fmt::format(R"("ordinals":{{"start":{}}})", cluster.below(3));
  }
  static std::string history_text(Cluster& cluster) {
    return fmt::format(R"("revisionHistoryLimit":{})", cluster.below(3));
  }
  static std::string retention_text(Cluster& cluster) {
    const auto what = [&] { return cluster.below(2) == 0 ? "Retain" : "Delete"; };
    const char* deleted = what();
    return fmt::format(
        R"("persistentVolumeClaimRetentionPolicy":{{"whenDeleted":"{}","whenScaled":"{}"}})",
        deleted, what());
  }

  void create(Cluster& cluster) {
    const char* policy = cluster.below(3) == 0 ? "Parallel" : "OrderedReady";
    std::string spec = fmt::format(R"("podManagementPolicy":"{}","minReadySeconds":{})", policy,
                                   cluster.below(3) == 0 ? 5 : 0);
    for (const std::string& more : {replicas_text(cluster), template_text(cluster), retention_}) {
      spec += "," + more;
    }
    if (cluster.below(4) == 0) spec += "," + strategy_text(cluster);
    if (cluster.below(4) == 0) spec += "," + start_text(cluster);
    const bool created = cluster.create(
        "apps", kResource,
        fmt::format(R"({{"metadata":{{"name":"{}"}},"spec":{{"serviceName":"peers",{},)"
                    R"("selector":{{"matchLabels":{{"app":"web"}}}}{}}}}})",
                    kName, spec, has_claims_ ? kClaimTemplates : ""));
    if (created) wrote(cluster);
  }

  void change(Cluster& cluster, const std::string& spec) {
    if (cluster.patch("apps", kResource, kName, "{\"spec\":{" + spec + "}}")) wrote(cluster);
  }

  void change_rarely(Cluster& cluster) {
    switch (cluster.below(3)) {
      case 0:
        change(cluster, start_text(cluster));
        return;
      case 1:
        change(cluster, history_text(cluster));
        return;
      default:
        if (!policy_changes_) return;
        retention_ = retention_text(cluster);
        change(cluster, retention_);
    }
  }

  void wrote(Cluster& cluster) {
    const api::ObjectPtr set = find(cluster);
    rules_.wrote(*set);
    claims_.wrote(*set);
  }

  void remove_some_pod(Cluster& cluster) {
    const std::vector<api::ObjectPtr> pods = cluster.list("", "pods");
    if (pods.empty()) return;
    const api::Object& pod = *pods[cluster.below(pods.size())];
    rules_.removes_pod(pod);
    cluster.remove("", "pods", pod.metadata().name, api::Propagation::kBackground);
  }

  void remove_some_claim(Cluster& cluster) {
    const std::vector<api::ObjectPtr> claims = cluster.list("", kClaims);
    if (claims.empty()) return;
    const api::Object& claim = *claims[cluster.below(claims.size())];
    claims_.removes_claim(claim);
    cluster.remove("", kClaims, claim.metadata().name, api::Propagation::kBackground);
  }

  void remove(Cluster& cluster, const api::Object& set) {
    constexpr api::Propagation kWays[] = {api::Propagation::kBackground,
                                          api::Propagation::kForeground, api::Propagation::kOrphan};
    rules_.removes_set(set);
    claims_.removes_set();
    cluster.remove("apps", kResource, kName, kWays[cluster.below(3)]);
  }

  StatefulRules rules_{kName};
  StatefulClaims claims_{kName};
  bool has_claims_ = false;
  bool policy_changes_ = false;  // the retention policy changes
  std::string retention_;
};

}  // namespace stateful_set

std::unique_ptr<Scenario> make_stateful_set() {
  return std::make_unique<stateful_set::StatefulSets>();
}

}  // namespace proa::sim
