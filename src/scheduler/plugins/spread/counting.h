#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "scheduler/model/cluster.h"
#include "scheduler/plugins/spread/placed_pods.h"

// Which nodes and pods count for a topology spread constraint.

namespace proa::scheduler {

// One entry per slot of the cluster: 1 or 0.
using NodeFlags = std::vector<uint8_t>;
// One entry per slot: a domain, or kNoDomain.
using NodeDomains = std::vector<DomainIndex>;

// The nodes with all topology keys of the constraints.
NodeFlags nodes_with_all_labels(const Cluster& cluster, std::span<const SpreadConstraint> all);
// The slots with a node.
NodeFlags existing_nodes(const Cluster& cluster);
// The `nodes` that count according to the constraint's node inclusion policies.
NodeFlags counted_nodes(const Cluster& cluster, const PodShape& pod,
                        const SpreadConstraint& constraint, const NodeFlags& nodes);
// In which domain each of `nodes` is; kNoDomain for the other slots. `unlabelled` is for those of
// them that lack the label. A copy: the cluster may change before the counter is recreated.
NodeDomains domains_of(const Domains& domains, const NodeFlags& nodes,
                       DomainIndex unlabelled = kNoDomain);

// Whether the constraint counts pods with these labels. An empty selector counts nothing:
// upstream's countPodsMatchSelector.
bool counts_labels(const SpreadConstraint& constraint, const Labels& labels);

// Finds the constraints of a pod that count another pod. Consecutive pods often have the same
// shape.
class PodCounting {
 public:
  PodCounting(const PodShape& pod, std::span<const SpreadConstraint> constraints)
      : name_space_(pod.name_space), constraints_(constraints.begin(), constraints.end()) {}

  const std::vector<SpreadConstraint>& constraints() const { return constraints_; }

  // One entry per constraint; empty: none. Valid until the next call.
  const std::vector<uint8_t>& of(const Pod& pod);

  // Calls count(constraint, node, pods) for all placed pods that count.
  template <typename Count>
  void for_placed(PlacedPods& placed, Count count) const {
    for (const auto& [shape, group] : placed.in(name_space_)) {
      for (size_t i = 0; i < constraints_.size(); ++i) {
        if (!counts_labels(constraints_[i], shape->labels)) continue;
        for (const auto& [node, pods] : group.on) count(i, node, pods);
      }
    }
  }

 private:
  const std::string name_space_;
  const std::vector<SpreadConstraint> constraints_;
  ShapePtr last_shape_;  // kept, so that no other one gets its address
  std::vector<uint8_t> last_answer_;
};

}  // namespace proa::scheduler
