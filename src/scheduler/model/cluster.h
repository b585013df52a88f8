#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "scheduler/model/domains.h"
#include "scheduler/model/node.h"
#include "scheduler/model/pod.h"

namespace proa::scheduler {

// An entry of the cluster's change log.
struct ClusterChange {
  enum class Kind : uint8_t { kPodAdded, kPodRemoved, kNode };
  Kind kind = Kind::kNode;
  NodeIndex node = 0;
  PodPtr pod = {};
};

// A container image that some nodes have.
struct ClusterImage {
  int64_t size = 0;  // as reported by the first node: upstream's rule
  size_t nodes = 0;
};

// The scheduler's cache: nodes and their pods as the API reports them, plus assumed pods that the
// API does not report yet. For one thread.
class Cluster {
 public:
  // Number of slots; some may be vacant. A node keeps its slot while it exists.
  size_t slots() const { return nodes_.size(); }
  // Null for a vacant slot: no Node object, though pods may refer to it.
  const Node* node(NodeIndex index) const {
    const Slot& slot = *nodes_[index];
    return slot.exists ? &slot.node : nullptr;
  }
  const Node& at(NodeIndex index) const { return nodes_[index]->node; }
  std::optional<NodeIndex> find(api::NodeNameView name) const;
  size_t node_count() const { return node_count_; }

  // The domains of that label; the reference stays valid.
  const Domains& domains(const std::string& label) const;
  // Null when no node has it.
  const ClusterImage* image(const std::string& name) const;
  // Pods on nodes with pod (anti-)affinity of any sort, and with required anti-affinity.
  size_t pods_with_affinity() const { return pods_with_affinity_; }
  size_t pods_with_anti_affinity() const { return pods_with_anti_affinity_; }

  // Incremented by changes of a node that affect more than that node: nodes added or removed,
  // labels, taints, images.
  uint64_t layout() const { return layout_; }
  // The number of the next change.
  uint64_t changes() const { return first_change_ + log_.size(); }
  // The changes since that number; nullopt if the log no longer reaches back that far.
  std::optional<std::span<const ClusterChange>> changes_since(uint64_t number) const;

  // --- Updates ---
  void put_node(const api::ObjectPtr& node);
  void remove_node(api::NodeNameView name);
  // A bound pod, as the API reports it; replaces its earlier or assumed state.
  void put_pod(PodPtr pod);
  void remove_pod(api::UidView uid);
  // Adds an assumed pod, until the API reports it or forget() is called.
  void assume(PodPtr pod);
  void forget(api::UidView uid);
  bool is_assumed(api::UidView uid) const;
  // Marks the node as changed for state that is not kept here.
  void touch(api::NodeNameView name);
  // Null when no node has it.
  PodPtr pod(api::UidView uid) const;
  size_t pod_count() const { return pods_.size(); }

  // --- What-if; each change must be reverted before any other call ---
  // Like put_pod and remove_pod, without an entry in the change log.
  void try_add(NodeIndex index, const PodPtr& pod) { nodes_[index]->node.add(pod); }
  void try_remove(NodeIndex index, api::UidView uid) { nodes_[index]->node.remove(uid); }

 private:
  struct Slot {
    Node node;
    bool exists = false;
  };
  struct Placed {
    PodPtr pod;
    NodeIndex node = 0;
    bool assumed = false;
  };

  NodeIndex slot_for(api::NodeNameView name);
  void place(PodPtr pod, bool assumed);
  void take_away(api::UidView uid);
  void vacate(NodeIndex index, api::NodeNameView name);
  void log(ClusterChange change);
  void update_images(const NodeFacts* before, const NodeFacts* after);
  void update_domains(NodeIndex index);

  std::vector<std::unique_ptr<Slot>> nodes_;
  std::unordered_map<api::NodeName, NodeIndex, api::NameHash, std::equal_to<>> by_name_;
  std::vector<NodeIndex> vacant_;
  size_t node_count_ = 0;
  std::unordered_map<api::UidView, Placed> pods_;  // the uid points into the pod
  mutable std::map<std::string, std::unique_ptr<Domains>> domains_;
  std::unordered_map<std::string, ClusterImage> images_;
  size_t pods_with_affinity_ = 0;
  size_t pods_with_anti_affinity_ = 0;
  uint64_t layout_ = 0;
  std::vector<ClusterChange> log_;
  uint64_t first_change_ = 0;
};

}  // namespace proa::scheduler
