#include <fmt/format.h>

#include <algorithm>

#include "sim/scenarios/checks.h"
#include "sim/scenarios/scenarios.h"

namespace proa::sim {
namespace deployment {

constexpr const char* kName = "web";

class Deployments final : public Scenario {
 public:
  void begin(Cluster& cluster) override { create(cluster); }

  void act(Cluster& cluster) override {
    if (find(cluster) == nullptr) {
      create(cluster);
      return;
    }
    switch (cluster.below(10)) {
      case 0:
      case 1:
        patch(cluster, replicas_text(cluster));
        return;
      case 2:
      case 3:
      case 4:
        patch(cluster, template_text(cluster));
        return;
      case 5:
        patch(cluster, cluster.below(2) == 0 ? R"("paused":true)" : R"("paused":false)");
        return;
      case 6:
        patch(cluster, R"("revisionHistoryLimit":)" + std::to_string(cluster.below(4)));
        return;
      case 7:
        remove_some(cluster, "", "pods");
        return;
      case 8:
        remove_some(cluster, "apps", "replicasets");
        return;
      default:
        remove(cluster);
    }
  }

  Violations violations_now(Cluster& cluster) override {
    const api::ObjectPtr owner = find(cluster);
    if (owner == nullptr) return {};
    const auto sets = controlled_by(cluster.list("apps", "replicasets"), owner->metadata().uid);
    // The requested replicas; sets may have pods that are not deleted yet.
    int64_t count = 0;
    for (const api::ObjectPtr& set : sets) count += number_at(*set, "spec.replicas");
    // The surge: a quarter more, rounded up.
    const int64_t allowed = most_ + (most_ + 3) / 4;
    if (count <= allowed) return {};
    return {fmt::format("its sets are to have {} pods, where there were never more than {} wanted",
                        count, allowed)};
  }

  Violations violations_at_rest(Cluster& cluster, const Kubelets&) override {
    Violations violations = leaks(cluster);
    const api::ObjectPtr owner = find(cluster);
    if (owner == nullptr) return violations;
    const int64_t wanted = number_at(*owner, "spec.replicas");
    expect_equal(violations, "observedGeneration", number_at(*owner, "status.observedGeneration"),
                 owner->metadata().generation);
    // A paused one creates no new set, and may have none.
    if (is_paused(*owner)) return violations;
    expect_equal(violations, "status.replicas", number_at(*owner, "status.replicas"), wanted);
    expect_equal(violations, "availableReplicas", number_at(*owner, "status.availableReplicas"),
                 wanted);
    expect_equal(violations, "updatedReplicas", number_at(*owner, "status.updatedReplicas"),
                 wanted);
    check_sets(cluster, *owner, wanted, violations);
    return violations;
  }

 private:
  static bool is_paused(const api::Object& owner) {
    const json::Document document = owner.document().value();
    return api::View(document.root()).at("spec.paused").flag();
  }

  // One set has all pods and the current template; few old sets are kept.
  static void check_sets(Cluster& cluster, const api::Object& owner, int64_t wanted,
                         Violations& violations) {
    const auto sets = controlled_by(cluster.list("apps", "replicasets"), owner.metadata().uid);
    int64_t current = 0;
    for (const api::ObjectPtr& set : sets) {
      const bool is_current = image_of(*set) == image_of(owner);
      if (is_current) ++current;
      expect_equal(violations, "replicas of " + std::string(set->metadata().name),
                   number_at(*set, "spec.replicas"), is_current ? wanted : 0);
    }
    expect_equal(violations, "sets with the template that is wanted", current, 1);
    const int64_t old = static_cast<int64_t>(sets.size()) - 1;
    if (old > number_at(owner, "spec.revisionHistoryLimit")) {
      violations.push_back(fmt::format("{} old sets are kept", old));
    }
  }

  static api::ObjectPtr find(Cluster& cluster) {
    const api::ObjectPtr owner = cluster.get("apps", "deployments", kName);
    return owner == nullptr || owner->metadata().being_deleted ? nullptr : owner;
  }

  std::string replicas_text(Cluster& cluster) {
    const auto count = static_cast<int64_t>(cluster.below(8));
    most_ = std::max(most_, count);
    return R"("replicas":)" + std::to_string(count);
  }

  static std::string template_text(Cluster& cluster) {
    return fmt::format(R"("template":{{"metadata":{{"labels":{{"app":"web"}}}},)"
                       R"("spec":{{"containers":[{{"name":"c","image":"i:{}"}}]}}}})",
                       cluster.below(4));
  }

  void create(Cluster& cluster) {
    const bool recreates = cluster.below(4) == 0;
    cluster.create("apps", "deployments",
                   fmt::format(R"({{"metadata":{{"name":"{}"}},"spec":{{{},)"
                               R"("selector":{{"matchLabels":{{"app":"web"}}}},{}{}}}}})",
                               kName, replicas_text(cluster), template_text(cluster),
                               recreates ? R"(,"strategy":{"type":"Recreate"})" : ""));
  }

  static void patch(Cluster& cluster, const std::string& spec) {
    cluster.patch("apps", "deployments", kName, "{\"spec\":{" + spec + "}}");
  }

  static void remove_some(Cluster& cluster, const char* group, const char* resource) {
    const std::vector<api::ObjectPtr> all = cluster.list(group, resource);
    if (all.empty()) return;
    cluster.remove(group, resource, all[cluster.below(all.size())]->metadata().name,
                   api::Propagation::kBackground);
  }

  static void remove(Cluster& cluster) {
    constexpr api::Propagation kWays[] = {api::Propagation::kBackground,
                                          api::Propagation::kForeground};
    cluster.remove("apps", "deployments", kName, kWays[cluster.below(2)]);
  }

  int64_t most_ = 0;  // maximum replicas ever requested
};

}  // namespace deployment

std::unique_ptr<Scenario> make_deployment() { return std::make_unique<deployment::Deployments>(); }

}  // namespace proa::sim
