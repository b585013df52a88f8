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

// One change of the cluster, for who keeps something worked out of it.
struct ClusterChange {
  enum class Kind : uint8_t { kPodAdded, kPodRemoved, kNode };
  Kind kind = Kind::kNode;
  NodeIndex node = 0;
  PodPtr pod = {};
};

// An image that some nodes have.
struct ClusterImage {
  int64_t size = 0;  // as the first node said that had it: upstream's rule
  size_t nodes = 0;
};

// The nodes and the pods on them as the scheduler knows them: what the API said, and on top of that
// what it decided itself and the API has not said yet. For one thread.
class Cluster {
 public:
  // Slots; some may be vacant. A node keeps its slot while it exists.
  size_t slots() const { return nodes_.size(); }
  // Null for a vacant slot: one without a Node, though pods may say that they run there.
  const Node* node(NodeIndex index) const {
    const Slot& slot = *nodes_[index];
    return slot.exists ? &slot.node : nullptr;
  }
  const Node& at(NodeIndex index) const { return nodes_[index]->node; }
  std::optional<NodeIndex> find(std::string_view name) const;
  size_t node_count() const { return node_count_; }

  // For that label; the reference stays.
  const Domains& domains(const std::string& label) const;
  // Null when no node has it.
  const ClusterImage* image(const std::string& name) const;
  // Pods on nodes with pod (anti-)affinity of any sort, and with required anti-affinity.
  size_t pods_with_affinity() const { return pods_with_affinity_; }
  size_t pods_with_anti_affinity() const { return pods_with_anti_affinity_; }

  // Grows with every change of a node that reaches beyond it: nodes that come or go, labels,
  // taints, images.
  uint64_t layout() const { return layout_; }
  // All changes so far have numbers below this one.
  uint64_t changes() const { return first_change_ + log_.size(); }
  // The changes from that number on; nullopt when they are forgotten.
  std::optional<std::span<const ClusterChange>> changes_since(uint64_t number) const;

  // --- Who feeds it ---
  void put_node(const api::ObjectPtr& node);
  void remove_node(std::string_view name);
  // A pod with a node, as the API says it; whatever was known or assumed of it before goes.
  void put_pod(PodPtr pod);
  void remove_pod(std::string_view uid);
  // What was decided: counts from now on, until the API says it or forget() is called.
  void assume(PodPtr pod);
  void forget(std::string_view uid);
  bool is_assumed(std::string_view uid) const;
  // Something about the node that is not kept here: it is to be looked at anew.
  void touch(std::string_view name);
  // Null when no node has it.
  PodPtr pod(std::string_view uid) const;
  size_t pod_count() const { return pods_.size(); }

  // --- What if; each is to be taken back before anything else is done ---
  // Like put_pod and remove_pod, without a word in the log.
  void try_add(NodeIndex index, const PodPtr& pod) { nodes_[index]->node.add(pod); }
  void try_remove(NodeIndex index, std::string_view uid) { nodes_[index]->node.remove(uid); }

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

  NodeIndex slot_for(std::string_view name);
  void place(PodPtr pod, bool assumed);
  void take_away(std::string_view uid);
  void vacate(NodeIndex index, std::string_view name);
  void log(ClusterChange change);
  void update_images(const NodeFacts* before, const NodeFacts* after);
  void update_domains(NodeIndex index);

  std::vector<std::unique_ptr<Slot>> nodes_;
  std::unordered_map<std::string, NodeIndex> by_name_;
  std::vector<NodeIndex> vacant_;
  size_t node_count_ = 0;
  std::unordered_map<std::string_view, Placed> pods_;  // by uid, in the text of the pod
  mutable std::map<std::string, std::unique_ptr<Domains>> domains_;
  std::unordered_map<std::string, ClusterImage> images_;
  size_t pods_with_affinity_ = 0;
  size_t pods_with_anti_affinity_ = 0;
  uint64_t layout_ = 0;
  std::vector<ClusterChange> log_;
  uint64_t first_change_ = 0;
};

}  // namespace proa::scheduler
