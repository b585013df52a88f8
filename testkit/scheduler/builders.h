#pragma once

// Objects for tests of the scheduler, written as chains that end in object():
//
//   make_node("n1").zone("a").capacity({{"cpu", "4"}, {"memory", "8Gi"}, {"pods", "110"}}).object()
//   make_pod("a").in("ns").label("app", "web").request({{"cpu", "500m"}}).node("n1").object()
//
// What comes out is what a server would have stored: defaults are filled in, metadata has uid,
// resourceVersion and creationTimestamp. A builder may be copied, and each copy go its own way:
//
//   const PodBuilder web = make_pod("web").label("app", "web");
//   PodBuilder(web).node("n1").object()
//
// Every kind has uid(), version(), created(), deleted_at(), finalizer(), label(), labels(),
// annotation(), owner() and json("spec.some.path", raw); those in namespaces have in().
//
//   here                make_node, make_namespace, make_service, make_replication_controller,
//                       make_replica_set, make_stateful_set, make_budget
//   pod_builder.h       make_pod
//   storage_builders.h  make_claim, make_volume, make_storage_class, make_csi_node,
//                       make_csi_driver, make_csi_capacity, make_attachment

#include "testkit/scheduler/draft.h"
#include "testkit/scheduler/pod_builder.h"
#include "testkit/scheduler/storage_builders.h"

namespace proa::testkit {

// A node without capacity and labels, unless set.
class NodeBuilder : public ObjectBuilder<NodeBuilder> {
 public:
  explicit NodeBuilder(std::string_view name) : ObjectBuilder(Draft("v1", "Node", name)) {}

  NodeBuilder& zone(std::string_view zone) { return label("topology.kubernetes.io/zone", zone); }
  NodeBuilder& region(std::string_view region) {
    return label("topology.kubernetes.io/region", region);
  }
  NodeBuilder& hostname(std::string_view name) { return label("kubernetes.io/hostname", name); }
  // Also sets the allocatable amounts, unless allocatable() is called.
  NodeBuilder& capacity(const Pairs& amounts) { return pairs("status.capacity", amounts); }
  NodeBuilder& allocatable(const Pairs& amounts) { return pairs("status.allocatable", amounts); }
  NodeBuilder& taint(std::string_view key, std::string_view value, std::string_view effect);
  // Without the taint that the node controller would add.
  NodeBuilder& unschedulable() { return json("spec.unschedulable", "true"); }
  NodeBuilder& image(std::string_view name, int64_t size) {
    return images({std::string(name)}, size);
  }
  // One image with several names.
  NodeBuilder& images(const Names& names, int64_t size);
  NodeBuilder& features(const Names& names);
};

inline NodeBuilder make_node(std::string_view name) { return NodeBuilder(name); }

class NamespaceBuilder : public ObjectBuilder<NamespaceBuilder> {
 public:
  // With the label of its name, as the server sets it.
  explicit NamespaceBuilder(std::string_view name) : ObjectBuilder(Draft("v1", "Namespace", name)) {
    label("kubernetes.io/metadata.name", name);
  }
};

class ServiceBuilder : public NamespacedBuilder<ServiceBuilder> {
 public:
  explicit ServiceBuilder(std::string_view name);

  ServiceBuilder& selector(const Pairs& labels) { return pairs("spec.selector", labels); }
};

class ReplicationControllerBuilder : public NamespacedBuilder<ReplicationControllerBuilder> {
 public:
  explicit ReplicationControllerBuilder(std::string_view name);

  ReplicationControllerBuilder& selector(const Pairs& labels);
};

// A ReplicaSet or a StatefulSet.
class SetBuilder : public NamespacedBuilder<SetBuilder> {
 public:
  SetBuilder(std::string_view kind, std::string_view name);

  // The template gets the same labels.
  SetBuilder& selector(const Pairs& labels);
  SetBuilder& selector_json(std::string_view raw) { return json("spec.selector", raw); }
};

class BudgetBuilder : public NamespacedBuilder<BudgetBuilder> {
 public:
  explicit BudgetBuilder(std::string_view name)
      : NamespacedBuilder(Draft("policy/v1", "PodDisruptionBudget", name, "default")) {
    allowed(0);
  }

  BudgetBuilder& selector(const Pairs& labels) {
    return pairs("spec.selector.matchLabels", labels);
  }
  // The allowed disruptions in the status, as the controller writes them.
  BudgetBuilder& allowed(int64_t count) { return number("status.disruptionsAllowed", count); }
  // A pod whose eviction is in progress.
  BudgetBuilder& disrupted(std::string_view pod) {
    draft_.object_at("status.disruptedPods").set(pod, "2026-01-01T00:00:00Z");
    return *this;
  }
};

inline NamespaceBuilder make_namespace(std::string_view name) { return NamespaceBuilder(name); }
inline ServiceBuilder make_service(std::string_view name) { return ServiceBuilder(name); }
inline ReplicationControllerBuilder make_replication_controller(std::string_view name) {
  return ReplicationControllerBuilder(name);
}
inline SetBuilder make_replica_set(std::string_view name) { return SetBuilder("ReplicaSet", name); }
inline SetBuilder make_stateful_set(std::string_view name) {
  return SetBuilder("StatefulSet", name);
}
inline BudgetBuilder make_budget(std::string_view name) { return BudgetBuilder(name); }

}  // namespace proa::testkit
