#include "scheduler/plugins/preemption/candidates.h"

#include <algorithm>

#include "scheduler/framework/reason_counts.h"

namespace proa::scheduler {
namespace candidates {

// Shapes that preempt at the same time; each has some 100 bytes a node.
constexpr size_t kShapesKept = 4;

// Whether evicting pods from that node may help. Never for a vacant slot.
bool may_help(const Diagnosis& diagnosis, NodeIndex node) {
  return diagnosis.of(node).verdict.code == Code::kUnschedulable;
}

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
  const bool rebuild =
      !changes || kept.layout != cluster_.layout() || kept.budget_changes != budgets_.changes();
  if (rebuild) {
    kept.known.clear();
    kept.found.clear();
  } else {
    for (const ClusterChange& change : *changes) {
      if (change.node >= kept.known.size() || kept.known[change.node] == Known::kNothing) continue;
      kept.known[change.node] = Known::kNothing;
      kept.found[change.node] = {};  // releases deleted pods
    }
  }
  kept.known.resize(cluster_.slots(), Known::kNothing);
  kept.found.resize(cluster_.slots());
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
  if (kept.known[node] == Known::kNothing) {
    kept.found[node] = find();
    kept.known[node] = kept.found[node].victims ? Known::kVictims : Known::kNobody;
  }
  return kept.found[node];
}

const Victims* Candidates::victims_on(Kept& kept, const Pod& pod, Diagnosis& diagnosis,
                                      NodeIndex node) {
  const bool has_nobody =
      kept.can_be_used && node != kept.own_node && kept.known[node] == Known::kNobody;
  if (has_nobody) return nullptr;
  const VictimsFound& looked = look_at(kept, pod, diagnosis, node);
  return looked.victims ? &*looked.victims : nullptr;
}

size_t Candidates::wanted(size_t nodes) const {
  const auto count = static_cast<int64_t>(nodes);
  return static_cast<size_t>(std::min(
      count, std::max(count * args_.min_candidate_percentage / 100, args_.min_candidates)));
}

Candidates::Choice Candidates::choose(const Pod& pod, Diagnosis& diagnosis) {
  const size_t potential = diagnosis.tally().count(Code::kUnschedulable);
  Kept& kept = kept_for(pod);
  kept.can_be_used = !diagnosis.looks_beyond_nodes() && !pod.shape->has_volumes_of_its_own;
  kept.own_node = cluster_.find(nominations_.node_of(pod.uid()));
  Choice choice;
  Victims best;
  const size_t most = wanted(potential);
  const size_t slots = cluster_.slots();
  const size_t begin = potential == 0 ? 0 : random_.below(slots);
  size_t looked_at = 0;
  size_t found = 0;
  bool has_harmless = false;
  for (size_t i = 0; i < slots && looked_at < potential; ++i) {
    const auto node = static_cast<NodeIndex>(begin + i < slots ? begin + i : begin + i - slots);
    if (!candidates::may_help(diagnosis, node)) continue;
    ++looked_at;
    const Victims* victims = victims_on(kept, pod, diagnosis, node);
    if (victims == nullptr) continue;
    ++found;
    has_harmless = has_harmless || victims->violations == 0;
    if (!choice.node || costs_less(*victims, best)) {
      best = *victims;
      choice.node = node;
    }
    if (has_harmless && found >= most) break;
  }
  if (choice.node) {
    choice.victims = std::move(best.pods);
  } else {
    choice.why_not = why_none(potential, kept, pod, diagnosis);
  }
  return choice;
}

// "0/5 nodes are available: 2 Insufficient cpu, 3 Preemption is not helpful for scheduling."
std::string Candidates::why_none(size_t potential, Kept& kept, const Pod& pod,
                                 Diagnosis& diagnosis) {
  ReasonCounts counts;
  for (NodeIndex node = 0; potential > 0 && node < cluster_.slots(); ++node) {
    if (candidates::may_help(diagnosis, node)) {
      counts.add(look_at(kept, pod, diagnosis, node).verdict);
    }
  }
  if (potential < cluster_.node_count()) {
    counts.add("Preemption is not helpful for scheduling", cluster_.node_count() - potential);
  }
  return counts.none_available(cluster_.node_count());
}

}  // namespace proa::scheduler
