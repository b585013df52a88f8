#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "api/object/object.h"
#include "kinds/core/placement/tolerations.h"
#include "scheduler/model/pod.h"
#include "scheduler/model/resources.h"

namespace proa::scheduler {

// What the scheduler reads of a Node. Immutable.
struct NodeFacts {
  api::ObjectPtr object;
  Resources allocatable = {};
  int64_t allowed_pods = 0;
  bool unschedulable = false;
  std::vector<kinds::pods::Taint> taints = {};
  std::vector<std::pair<std::string, int64_t>> images = {};  // every name with its size in bytes

  api::NodeNameView name() const { return api::NodeNameView(object->metadata().name); }
  const api::Metadata& metadata() const { return object->metadata(); }
};

NodeFacts read_node(const api::ObjectPtr& node);
// Whether everything relevant for scheduling is equal; heartbeats and conditions are ignored.
bool same_for_pods(const NodeFacts& a, const NodeFacts& b);

// A node and its pods, with resource sums (upstream's NodeInfo). A copy can be used for what-if
// evaluation.
class Node {
 public:
  explicit Node(std::shared_ptr<const NodeFacts> facts) : facts_(std::move(facts)) {}

  const NodeFacts& facts() const { return *facts_; }
  api::NodeNameView name() const { return facts_->name(); }
  const std::shared_ptr<const NodeFacts>& shared_facts() const { return facts_; }
  void set_facts(std::shared_ptr<const NodeFacts> facts) { facts_ = std::move(facts); }

  const std::vector<PodPtr>& pods() const { return pods_; }
  const Resources& requested() const { return requested_; }
  int64_t scored_milli_cpu() const { return scored_milli_cpu_; }
  int64_t scored_memory() const { return scored_memory_; }
  const std::vector<HostPort>& used_ports() const { return used_ports_; }
  // Number of pods on the node that use the claim "namespace/name".
  size_t users_of_claim(const std::string& claim) const;
  size_t pods_with_affinity() const { return with_affinity_; }
  size_t pods_with_anti_affinity() const { return with_anti_affinity_; }  // required ones

  void add(PodPtr pod);
  // Replaces the pod of that uid. REQUIRES: same shape.
  void exchange(PodPtr pod);
  // The pod of that uid; null if it is not on the node.
  PodPtr remove(api::UidView uid);

 private:
  // Its index in pods_; pods_.size() if absent.
  size_t place_of(api::UidView uid) const;
  void count(const PodShape& shape, int64_t sign);

  std::shared_ptr<const NodeFacts> facts_;
  std::vector<PodPtr> pods_;
  // Index by uid, which points into the pods; only used for nodes with very many pods.
  std::unordered_map<api::UidView, size_t> places_;
  Resources requested_;
  int64_t scored_milli_cpu_ = 0;
  int64_t scored_memory_ = 0;
  std::vector<HostPort> used_ports_;
  std::unordered_map<std::string, size_t> claims_;
  size_t with_affinity_ = 0;
  size_t with_anti_affinity_ = 0;
};

}  // namespace proa::scheduler
