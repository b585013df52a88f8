#include "scheduler/plugins/preemption/candidates.h"

#include <algorithm>

#include "scheduler/framework/reason_counts.h"

namespace proa::scheduler {
namespace candidates {

// Shapes that preempt at the same time; each has some 100 bytes a node.
constexpr size_t kShapesKept = 4;

}  // namespace candidates

Candidates::Kept& Candidates::kept_for(const Pod& pod) {
  std::unique_ptr<Kept>& kept = kept_[pod.shape.get()];
  if (kept == nullptr) {
    kept = std::make_unique<Kept>();
    kept->shape = pod.shape;
  }
  kept->used = ++uses_;
  Kept& found = *kept;
  while (kept_.size() > candidates::kShapesKept) {
    kept_.erase(std::min_element(kept_.begin(), kept_.end(), [](const auto& a, const auto& b) {
      return a.second->used < b.second->used;
    }));
  }
  catch_up(found);
  return found;
}

void Candidates::catch_up(Kept& kept) {
  const auto changes = cluster_.changes_since(kept.seen);
  const bool anew = !changes || kept.layout != cluster_.layout() ||
                    kept.budget_changes != budgets_.changes() || kept.nodes.empty();
  if (anew) {
    kept.nodes.clear();
  } else {
    for (const ClusterChange& change : *changes) {
      if (change.node < kept.nodes.size()) kept.nodes[change.node] = {};
    }
  }
  kept.nodes.resize(cluster_.slots());
  kept.layout = cluster_.layout();
  kept.seen = cluster_.changes();
  kept.budget_changes = budgets_.changes();
}

const VictimsFound& Candidates::look_at(Kept& kept, const Pod& pod, Diagnosis& diagnosis,
                                        NodeIndex node) {
  const auto find = [&] {
    return select_victims(cluster_, diagnosis, pod, node, budgets_.all(), clock_.now());
  };
  // Its own nomination does not count for a pod, but for the others of its shape.
  if (!kept.can_be_used || node == kept.own_node) {
    passing_ = find();
    return passing_;
  }
  Known& known = kept.nodes[node];
  if (!known.is_known) known = {.is_known = true, .found = find()};
  return known.found;
}

size_t Candidates::wanted(size_t nodes) const {
  const auto count = static_cast<int64_t>(nodes);
  return static_cast<size_t>(std::min(
      count, std::max(count * args_.min_candidate_percentage / 100, args_.min_candidates)));
}

Candidates::Choice Candidates::choose(const Pod& pod, Diagnosis& diagnosis) {
  std::vector<NodeIndex> potential;
  const bool no_filter_ran = !diagnosis.pre_filter().verdict.ok();
  for (NodeIndex node = 0; !no_filter_ran && node < cluster_.slots(); ++node) {
    if (cluster_.node(node) == nullptr) continue;
    if (diagnosis.of(node).verdict.code == Code::kUnschedulable) potential.push_back(node);
  }
  Kept& kept = kept_for(pod);
  kept.can_be_used = !diagnosis.looks_beyond_nodes() && !pod.shape->has_volumes_of_its_own;
  kept.own_node = cluster_.find(nominations_.node_of(pod.uid()));
  Choice choice;
  std::optional<Victims> best;
  const size_t most = wanted(potential.size());
  const size_t offset = potential.empty() ? 0 : random_.below(potential.size());
  size_t found = 0;
  bool has_harmless = false;
  for (size_t i = 0; i < potential.size(); ++i) {
    const NodeIndex node = potential[(offset + i) % potential.size()];
    const VictimsFound& looked = look_at(kept, pod, diagnosis, node);
    if (!looked.victims) continue;
    ++found;
    has_harmless = has_harmless || looked.victims->violations == 0;
    if (!best || costs_less(*looked.victims, *best)) {
      best = looked.victims;
      choice.node = node;
    }
    if (has_harmless && found >= most) break;
  }
  if (best) {
    choice.victims = std::move(best->pods);
  } else {
    choice.why_not = why_none(potential, kept, pod, diagnosis);
  }
  return choice;
}

// "0/5 nodes are available: 2 Insufficient cpu, 3 Preemption is not helpful for scheduling."
std::string Candidates::why_none(const std::vector<NodeIndex>& potential, Kept& kept,
                                 const Pod& pod, Diagnosis& diagnosis) {
  ReasonCounts counts;
  for (const NodeIndex node : potential) {
    counts.add(look_at(kept, pod, diagnosis, node).verdict);
  }
  if (potential.size() < cluster_.node_count()) {
    counts.add("Preemption is not helpful for scheduling",
               cluster_.node_count() - potential.size());
  }
  return counts.none_available(cluster_.node_count());
}

}  // namespace proa::scheduler
