#include <fmt/format.h>

#include "sim/scenarios/checks.h"
#include "sim/scenarios/scenarios.h"

namespace proa::sim {
namespace replicas {

constexpr const char* kName = "web";

// ReplicaSets and ReplicationControllers have the same semantics.
struct Kind {
  const char* group;
  const char* resource;
  const char* selector;
};
constexpr Kind kReplicaSet{"apps", "replicasets", R"({"matchLabels":{"app":"web"}})"};
constexpr Kind kReplicationController{"", "replicationcontrollers", R"({"app":"web"})"};

class Replicas final : public Scenario {
 public:
  explicit Replicas(const Kind& kind) : kind_(kind) {}

  void begin(Cluster& cluster) override { create(cluster, 3); }

  void act(Cluster& cluster) override {
    const api::ObjectPtr owner = find(cluster);
    if (owner == nullptr) {
      create(cluster, static_cast<int64_t>(cluster.below(6)));
      return;
    }
    switch (cluster.below(8)) {
      case 0:
      case 1:
      case 2:
        scale(cluster, static_cast<int64_t>(cluster.below(9)));
        return;
      case 3:
      case 4:
        remove_some_pod(cluster);
        return;
      case 5:
        take_some_pod_out(cluster);
        return;
      case 6:
        add_stray_pod(cluster);
        return;
      default:
        remove(cluster);
    }
  }

  Violations violations_now(Cluster& cluster) override {
    const api::ObjectPtr owner = find(cluster);
    if (owner == nullptr) return {};
    size_t mine = 0;
    for (const api::ObjectPtr& pod : controlled_by(active_pods(cluster), owner->metadata().uid)) {
      const std::string_view* app = pod->metadata().label("app");
      const bool counts = app != nullptr && *app == "web" && !strays_.contains(name_of(*pod));
      if (counts && !seen_.contains(std::string(pod->metadata().uid))) fresh_ = true;
      if (counts) ++mine;
    }
    // After scaling down, too many pods may exist for a while, but none are added. Pods created
    // since the last check may predate the generation observed now.
    const int64_t allowed = replicas_.most(observed_);
    observed_ = number_at(*owner, "status.observedGeneration");
    const bool too_many = fresh_ && static_cast<int64_t>(mine) > allowed;
    remember_pods(cluster);
    if (!too_many) return {};
    return {fmt::format("{} pods where {} are wanted at most, and it added some", mine, allowed)};
  }

  Violations violations_at_rest(Cluster& cluster, const Kubelets&) override {
    Violations violations = leaks(cluster);
    const api::ObjectPtr owner = find(cluster);
    if (owner == nullptr) return violations;
    const int64_t wanted = number_at(*owner, "spec.replicas");
    const auto pods = controlled_by(active_pods(cluster), owner->metadata().uid);
    expect_equal(violations, "number of pods", static_cast<int64_t>(pods.size()), wanted);
    for (const char* field :
         {"replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas"}) {
      expect_equal(violations, field, number_at(*owner, std::string("status.") + field), wanted);
    }
    expect_equal(violations, "observedGeneration", number_at(*owner, "status.observedGeneration"),
                 owner->metadata().generation);
    return violations;
  }

 private:
  static std::string name_of(const api::Object& object) {
    return std::string(object.metadata().name);
  }

  // Null also while it is being deleted.
  api::ObjectPtr find(Cluster& cluster) const {
    const api::ObjectPtr owner = cluster.get(kind_.group, kind_.resource, kName);
    return owner == nullptr || owner->metadata().being_deleted ? nullptr : owner;
  }

  void create(Cluster& cluster, int64_t count) {
    const bool created = cluster.create(
        kind_.group, kind_.resource,
        fmt::format(R"({{"metadata":{{"name":"{}"}},"spec":{{"replicas":{},"selector":{},)"
                    R"("template":{{"metadata":{{"labels":{{"app":"web"}}}},)"
                    R"("spec":{{"containers":[{{"name":"c","image":"i"}}]}}}}}}}})",
                    kName, count, kind_.selector));
    if (!created) return;
    replicas_.forget();
    observed_ = 0;
    replicas_.wrote(*find(cluster), count);
    // It adopts the pods of a predecessor of the same name, however many.
    for (const api::ObjectPtr& pod : active_pods(cluster)) strays_.insert(name_of(*pod));
  }

  void scale(Cluster& cluster, int64_t count) {
    if (!cluster.patch(kind_.group, kind_.resource, kName,
                       fmt::format(R"({{"spec":{{"replicas":{}}}}})", count))) {
      return;
    }
    replicas_.wrote(*find(cluster), count);
  }

  static api::ObjectPtr some_pod(Cluster& cluster) {
    const std::vector<api::ObjectPtr> pods = active_pods(cluster);
    return pods.empty() ? nullptr : pods[cluster.below(pods.size())];
  }

  static void remove_some_pod(Cluster& cluster) {
    const api::ObjectPtr pod = some_pod(cluster);
    if (pod != nullptr) {
      cluster.remove("", "pods", pod->metadata().name, api::Propagation::kBackground);
    }
  }

  // The pod is orphaned, and stays.
  static void take_some_pod_out(Cluster& cluster) {
    const api::ObjectPtr pod = some_pod(cluster);
    if (pod == nullptr) return;
    cluster.patch("", "pods", pod->metadata().name, R"({"metadata":{"labels":{"app":"other"}}})");
  }

  void add_stray_pod(Cluster& cluster) {
    const std::string name = fmt::format("stray-{}", strays_.size());
    cluster.create("", "pods",
                   fmt::format(R"({{"metadata":{{"name":"{}","labels":{{"app":"web"}}}},)"
                               R"("spec":{{"containers":[{{"name":"c","image":"i"}}]}}}})",
                               name));
    strays_.insert(name);
  }

  void remove(Cluster& cluster) {
    constexpr api::Propagation kWays[] = {api::Propagation::kBackground,
                                          api::Propagation::kForeground, api::Propagation::kOrphan};
    cluster.remove(kind_.group, kind_.resource, kName, kWays[cluster.below(3)]);
  }

  void remember_pods(Cluster& cluster) {
    fresh_ = false;
    seen_.clear();
    for (const api::ObjectPtr& pod : active_pods(cluster)) {
      seen_.insert(std::string(pod->metadata().uid));
    }
  }

  const Kind kind_;
  SpecValues replicas_;
  int64_t observed_ = 0;          // generation at the last check
  std::set<std::string> strays_;  // names of pods that it did not create
  std::set<std::string> seen_;    // pods, by uid
  bool fresh_ = false;            // pods were created since
};

}  // namespace replicas

std::unique_ptr<Scenario> make_replica_set() {
  return std::make_unique<replicas::Replicas>(replicas::kReplicaSet);
}

std::unique_ptr<Scenario> make_replication_controller() {
  return std::make_unique<replicas::Replicas>(replicas::kReplicationController);
}

}  // namespace proa::sim
