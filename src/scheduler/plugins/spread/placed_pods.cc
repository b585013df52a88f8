#include "scheduler/plugins/spread/placed_pods.h"

namespace proa::scheduler {

const PlacedPods::Groups& PlacedPods::in(const std::string& name_space) {
  static const Groups kNone;
  catch_up();
  const auto found = namespaces_.find(name_space);
  return found == namespaces_.end() ? kNone : found->second;
}

void PlacedPods::catch_up() {
  const auto changes = next_change_ ? cluster_.changes_since(*next_change_) : std::nullopt;
  if (!changes) {
    count_all();
  } else {
    for (const ClusterChange& change : *changes) {
      if (change.kind == ClusterChange::Kind::kPodAdded) count(*change.pod, change.node, 1);
      if (change.kind == ClusterChange::Kind::kPodRemoved) count(*change.pod, change.node, -1);
    }
  }
  next_change_ = cluster_.changes();
}

void PlacedPods::count_all() {
  namespaces_.clear();
  for (NodeIndex index = 0; index < cluster_.slots(); ++index) {
    // Vacant slots, too: their node may be added later, and pods are counted once.
    for (const PodPtr& pod : cluster_.at(index).pods()) count(*pod, index, 1);
  }
}

void PlacedPods::count(const Pod& pod, NodeIndex node, int32_t pods) {
  if (pod.being_deleted) return;
  Groups& groups = namespaces_[pod.shape->name_space];
  Group& group = groups[pod.shape.get()];
  if (group.shape == nullptr) group.shape = pod.shape;
  int32_t& here = group.on[node];
  here += pods;
  if (here != 0) return;
  group.on.erase(node);
  if (!group.on.empty()) return;
  groups.erase(pod.shape.get());
  if (groups.empty()) namespaces_.erase(pod.shape->name_space);
}

}  // namespace proa::scheduler
