#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "scheduler/model/cluster.h"
#include "scheduler/plugins/spread/placed_pods.h"

// What counts for a topology spread constraint: which nodes, and which pods on them.

namespace proa::scheduler {

// One entry for each slot of the cluster: 1 or 0.
using NodeFlags = std::vector<uint8_t>;
// One entry for each slot: a domain, or kNoDomain.
using NodeDomains = std::vector<DomainIndex>;

// Which nodes have all the labels that the constraints spread over.
NodeFlags nodes_with_all_labels(const Cluster& cluster, std::span<const SpreadConstraint> all);
// Which slots have a node.
NodeFlags existing_nodes(const Cluster& cluster);
// Which of `nodes` have pods that count: those that suit the pod, as far as the constraint's
// policies say so.
NodeFlags counted_nodes(const Cluster& cluster, const PodShape& pod,
                        const SpreadConstraint& constraint, const NodeFlags& nodes);
// In which domain each of `nodes` is; kNoDomain for the other slots. `unlabelled` is for those of
// them that lack the label. A copy: the cluster may change before who counts is made anew.
NodeDomains domains_of(const Domains& domains, const NodeFlags& nodes,
                       DomainIndex unlabelled = kNoDomain);

// Whether the constraint counts pods with these labels. A selector that selects everything counts
// nothing: upstream's countPodsMatchSelector.
bool counts_labels(const SpreadConstraint& constraint, const Labels& labels);

// Says which constraints of a pod count other pods. Pods that come and go are often of the shape of
// the one before.
class PodCounting {
 public:
  PodCounting(const PodShape& pod, std::span<const SpreadConstraint> constraints)
      : name_space_(pod.name_space), constraints_(constraints.begin(), constraints.end()) {}

  const std::vector<SpreadConstraint>& constraints() const { return constraints_; }

  // For each constraint, in order; empty: none of them. Good until the next call.
  const std::vector<uint8_t>& of(const Pod& pod);

  // Calls count(constraint, node, pods) for all that count and are placed.
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
