#include "scheduler/plugins/spread/spread_hints.h"

#include <algorithm>

namespace proa::scheduler {
namespace spread_hints {

using Constraints = std::span<const SpreadConstraint>;
using kinds::pods::Toleration;

// A pod that has a place counts in its namespace; one without counts for itself only.
bool concerns(const Pod& pod, const Pod& other) {
  if (other.uid() == pod.uid()) return true;
  if (other.node.empty() && other.nominated_node.empty()) return false;
  return other.name_space() == pod.name_space();
}

bool selects(const SpreadConstraint& constraint, const Pod& pod) {
  return constraint.selector.matches(pod.shape->labels.all());
}

bool any_selects(Constraints constraints, const Pod& pod) {
  return std::any_of(constraints.begin(), constraints.end(),
                     [&](const SpreadConstraint& one) { return one.hard && selects(one, pod); });
}

bool same_tolerations(const Pod& a, const Pod& b) {
  const auto& left = a.shape->tolerations;
  const auto& right = b.shape->tolerations;
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [](const Toleration& one, const Toleration& other) {
                      return one.key == other.key && one.op == other.op &&
                             one.value == other.value && one.effect == other.effect &&
                             one.seconds == other.seconds;
                    });
}

bool after_pod_update(const Pod& pod, Constraints constraints, const Pod& before,
                      const Pod& after) {
  const bool own_tolerations = pod.uid() == after.uid() && !same_tolerations(before, after);
  if (own_tolerations && std::any_of(constraints.begin(), constraints.end(), [](const auto& one) {
        return one.hard && one.honors_taints;
      })) {
    return true;
  }
  return std::any_of(constraints.begin(), constraints.end(), [&](const SpreadConstraint& one) {
    return one.hard && selects(one, before) != selects(one, after);
  });
}

bool has_all_labels(const NodeFacts& node, Constraints constraints) {
  return std::all_of(constraints.begin(), constraints.end(), [&](const SpreadConstraint& one) {
    return !one.hard || node.metadata().label(one.topology_key) != nullptr;
  });
}

bool same_domains(const NodeFacts& a, const NodeFacts& b, Constraints constraints) {
  return std::all_of(constraints.begin(), constraints.end(), [&](const SpreadConstraint& one) {
    return !one.hard ||
           *a.metadata().label(one.topology_key) == *b.metadata().label(one.topology_key);
  });
}

bool after_node_update(Constraints constraints, const NodeFacts& before, const NodeFacts& after) {
  const bool had = has_all_labels(before, constraints);
  if (had != has_all_labels(after, constraints)) return true;
  return had && (!same_domains(before, after, constraints) || before.taints != after.taints);
}

}  // namespace spread_hints

bool concerns_spread(const Pod& pod, const ClusterEvent& event) {
  return (event.old_pod == nullptr || spread_hints::concerns(pod, *event.old_pod)) &&
         (event.new_pod == nullptr || spread_hints::concerns(pod, *event.new_pod));
}

bool may_help_spread(const Pod& pod, std::span<const SpreadConstraint> constraints,
                     const ClusterEvent& event) {
  using namespace spread_hints;
  if (event.resource == EventResource::kNode) {
    if (event.old_node != nullptr && event.new_node != nullptr) {
      return after_node_update(constraints, *event.old_node, *event.new_node);
    }
    const NodeFacts* node = event.new_node != nullptr ? event.new_node : event.old_node;
    return node == nullptr || has_all_labels(*node, constraints);
  }
  if (!concerns_spread(pod, event)) return false;
  if (event.old_pod != nullptr && event.new_pod != nullptr) {
    return after_pod_update(pod, constraints, *event.old_pod, *event.new_pod);
  }
  const Pod* other = event.new_pod != nullptr ? event.new_pod : event.old_pod;
  return other == nullptr || any_selects(constraints, *other);
}

}  // namespace proa::scheduler
