#include "scheduler/model/cluster.h"

#include <algorithm>

#include "base/check.h"

namespace proa::scheduler {
namespace cluster {

// The log keeps between this many changes and twice as many. A reader that is further behind
// evaluates everything again.
constexpr size_t kChangesKept = 16384;

// The facts of a slot whose node does not exist but has pods.
std::shared_ptr<const NodeFacts> no_node() {
  static const auto facts = std::make_shared<const NodeFacts>(
      NodeFacts{.object = api::Object::make(R"({"metadata":{}})")});
  return facts;
}

bool same_layout(const NodeFacts& a, const NodeFacts& b) {
  return a.unschedulable == b.unschedulable && a.taints == b.taints && a.images == b.images &&
         a.metadata().labels == b.metadata().labels;
}

}  // namespace cluster

std::optional<NodeIndex> Cluster::find(api::NodeNameView name) const {
  const auto found = by_name_.find(name);
  if (found == by_name_.end() || !nodes_[found->second]->exists) return std::nullopt;
  return found->second;
}

const Domains& Cluster::domains(const std::string& label) const {
  std::unique_ptr<Domains>& domains = domains_[label];
  if (domains == nullptr) {
    domains = std::make_unique<Domains>(label);
    for (NodeIndex i = 0; i < nodes_.size(); ++i) {
      if (const Node* one = node(i)) domains->set(i, one->facts().metadata().label(label));
    }
  }
  return *domains;
}

const ClusterImage* Cluster::image(const std::string& name) const {
  const auto found = images_.find(name);
  return found == images_.end() ? nullptr : &found->second;
}

std::optional<std::span<const ClusterChange>> Cluster::changes_since(uint64_t number) const {
  if (number < first_change_) return std::nullopt;
  return std::span(log_).subspan(number - first_change_);
}

void Cluster::log(ClusterChange change) {
  if (log_.size() >= 2 * cluster::kChangesKept) {
    log_.erase(log_.begin(), log_.begin() + cluster::kChangesKept);
    first_change_ += cluster::kChangesKept;
  }
  log_.push_back(std::move(change));
}

NodeIndex Cluster::slot_for(api::NodeNameView name) {
  if (const auto found = by_name_.find(name); found != by_name_.end()) return found->second;
  auto index = static_cast<NodeIndex>(nodes_.size());
  if (vacant_.empty()) {
    nodes_.push_back(std::make_unique<Slot>(Slot{.node = Node(cluster::no_node())}));
  } else {
    index = vacant_.back();
    vacant_.pop_back();
  }
  by_name_.emplace(name, index);
  return index;
}

void Cluster::update_images(const NodeFacts* before, const NodeFacts* after) {
  if (before != nullptr) {
    for (const auto& [image, size] : before->images) {
      const auto found = images_.find(image);
      if (found != images_.end() && --found->second.nodes == 0) images_.erase(found);
    }
  }
  if (after != nullptr) {
    for (const auto& [image, size] : after->images) {
      ++images_.try_emplace(image, ClusterImage{.size = size}).first->second.nodes;
    }
  }
}

void Cluster::update_domains(NodeIndex index) {
  const Node* one = node(index);
  for (auto& [label, domains] : domains_) {
    domains->set(index, one == nullptr ? nullptr : one->facts().metadata().label(label));
  }
}

void Cluster::put_node(const api::ObjectPtr& object) {
  auto facts = std::make_shared<const NodeFacts>(read_node(object));
  const NodeIndex index = slot_for(facts->name());
  Slot& slot = *nodes_[index];
  const std::shared_ptr<const NodeFacts> before = slot.node.shared_facts();
  const bool existed = std::exchange(slot.exists, true);
  slot.node.set_facts(facts);
  if (!existed) ++node_count_;
  if (existed && same_for_pods(*before, *facts)) return;
  if (!existed || !cluster::same_layout(*before, *facts)) {
    ++layout_;
    update_images(existed ? before.get() : nullptr, facts.get());
    update_domains(index);
  }
  log({.kind = ClusterChange::Kind::kNode, .node = index});
}

void Cluster::remove_node(api::NodeNameView name) {
  const std::optional<NodeIndex> index = find(name);
  if (!index) return;
  Slot& slot = *nodes_[*index];
  update_images(&slot.node.facts(), nullptr);
  slot.exists = false;
  slot.node.set_facts(cluster::no_node());
  --node_count_;
  ++layout_;
  update_domains(*index);
  log({.kind = ClusterChange::Kind::kNode, .node = *index});
  if (slot.node.pods().empty()) vacate(*index, name);
}

void Cluster::vacate(NodeIndex index, api::NodeNameView name) {
  by_name_.erase(by_name_.find(name));
  vacant_.push_back(index);
}

void Cluster::place(PodPtr pod, bool assumed) {
  const NodeIndex index = slot_for(pod->node);
  const PodShape& shape = *pod->shape;
  pods_with_affinity_ += shape.has_affinity() ? 1 : 0;
  pods_with_anti_affinity_ += shape.anti_affinity.empty() ? 0 : 1;
  nodes_[index]->node.add(pod);
  pods_.emplace(pod->uid(), Placed{.pod = pod, .node = index, .assumed = assumed});
  log({.kind = ClusterChange::Kind::kPodAdded, .node = index, .pod = std::move(pod)});
}

void Cluster::take_away(api::UidView uid) {
  const auto found = pods_.find(uid);
  if (found == pods_.end()) return;
  const Placed placed = std::move(found->second);  // the key points into this pod
  pods_.erase(found);
  const PodShape& shape = *placed.pod->shape;
  pods_with_affinity_ -= shape.has_affinity() ? 1 : 0;
  pods_with_anti_affinity_ -= shape.anti_affinity.empty() ? 0 : 1;
  Slot& slot = *nodes_[placed.node];
  slot.node.remove(placed.pod->uid());
  log({.kind = ClusterChange::Kind::kPodRemoved, .node = placed.node, .pod = placed.pod});
  if (!slot.exists && slot.node.pods().empty()) vacate(placed.node, placed.pod->node);
}

void Cluster::put_pod(PodPtr pod) {
  const auto found = pods_.find(pod->uid());
  if (found != pods_.end()) {
    Placed& known = found->second;
    const bool same = known.pod->node == pod->node && known.pod->shape == pod->shape &&
                      known.pod->being_deleted == pod->being_deleted;
    if (same) {
      // Nothing relevant changed: only the object is replaced.
      const NodeIndex index = known.node;
      nodes_[index]->node.exchange(pod);
      pods_.erase(found);
      pods_.emplace(pod->uid(), Placed{.pod = pod, .node = index, .assumed = false});
      return;
    }
    take_away(pod->uid());
  }
  place(std::move(pod), false);
}

void Cluster::remove_pod(api::UidView uid) { take_away(uid); }

void Cluster::assume(PodPtr pod) {
  CHECK(pods_.find(pod->uid()) == pods_.end());
  place(std::move(pod), true);
}

void Cluster::forget(api::UidView uid) {
  if (is_assumed(uid)) take_away(uid);
}

void Cluster::touch(api::NodeNameView name) {
  const std::optional<NodeIndex> index = find(name);
  if (index) log({.kind = ClusterChange::Kind::kNode, .node = *index});
}

bool Cluster::is_assumed(api::UidView uid) const {
  const auto found = pods_.find(uid);
  return found != pods_.end() && found->second.assumed;
}

PodPtr Cluster::pod(api::UidView uid) const {
  const auto found = pods_.find(uid);
  return found == pods_.end() ? nullptr : found->second.pod;
}

}  // namespace proa::scheduler
