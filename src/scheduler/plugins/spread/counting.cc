#include "scheduler/plugins/spread/counting.h"

#include <algorithm>

namespace proa::scheduler {
namespace counting {

using kinds::pods::Taint;
using kinds::pods::Toleration;

// Keeps pods from coming; PreferNoSchedule does not.
bool repels(const Taint& taint) {
  return taint.effect == kinds::pods::kNoSchedule || taint.effect == kinds::pods::kNoExecute;
}

bool tolerates_all(const std::vector<Toleration>& tolerations, const std::vector<Taint>& taints) {
  return std::all_of(taints.begin(), taints.end(), [&](const Taint& taint) {
    return !repels(taint) ||
           std::any_of(tolerations.begin(), tolerations.end(),
                       [&](const Toleration& one) { return tolerates(one, taint); });
  });
}

const std::vector<uint8_t>& none() {
  static const std::vector<uint8_t> kNone;
  return kNone;
}

}  // namespace counting

NodeFlags existing_nodes(const Cluster& cluster) {
  NodeFlags exists(cluster.slots(), 0);
  for (NodeIndex index = 0; index < exists.size(); ++index) {
    exists[index] = cluster.node(index) != nullptr ? 1 : 0;
  }
  return exists;
}

NodeFlags nodes_with_all_labels(const Cluster& cluster, std::span<const SpreadConstraint> all) {
  NodeFlags has = existing_nodes(cluster);
  for (const SpreadConstraint& constraint : all) {
    const Domains& domains = cluster.domains(constraint.topology_key);
    for (NodeIndex index = 0; index < has.size(); ++index) {
      if (domains.of(index) == kNoDomain) has[index] = 0;
    }
  }
  return has;
}

NodeFlags counted_nodes(const Cluster& cluster, const PodShape& pod,
                        const SpreadConstraint& constraint, const NodeFlags& nodes) {
  NodeFlags counted = nodes;
  const bool asks_labels =
      constraint.honors_affinity && (!pod.node_selector.matches_everything() || pod.node_affinity);
  if (!asks_labels && !constraint.honors_taints) return counted;
  for (NodeIndex index = 0; index < counted.size(); ++index) {
    if (counted[index] == 0) continue;
    const NodeFacts& facts = cluster.at(index).facts();
    const bool suits =
        (!asks_labels || pod.selects(facts.metadata())) &&
        (!constraint.honors_taints || counting::tolerates_all(pod.tolerations, facts.taints));
    if (!suits) counted[index] = 0;
  }
  return counted;
}

NodeDomains domains_of(const Domains& domains, const NodeFlags& nodes, DomainIndex unlabelled) {
  NodeDomains of(nodes.size(), kNoDomain);
  for (NodeIndex index = 0; index < nodes.size(); ++index) {
    if (nodes[index] == 0) continue;
    const DomainIndex domain = domains.of(index);
    of[index] = domain == kNoDomain ? unlabelled : domain;
  }
  return of;
}

bool counts_labels(const SpreadConstraint& constraint, const Labels& labels) {
  return !constraint.selector.matches_everything() && constraint.selector.matches(labels.all());
}

const std::vector<uint8_t>& PodCounting::of(const Pod& pod) {
  if (pod.being_deleted) return counting::none();
  if (pod.shape == last_shape_) return last_answer_;
  last_shape_ = pod.shape;
  last_answer_.clear();
  if (pod.shape->name_space != name_space_) return last_answer_;
  bool any = false;
  for (const SpreadConstraint& constraint : constraints_) {
    last_answer_.push_back(counts_labels(constraint, pod.shape->labels) ? 1 : 0);
    any |= last_answer_.back() != 0;
  }
  if (!any) last_answer_.clear();
  return last_answer_;
}

}  // namespace proa::scheduler
