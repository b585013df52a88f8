#include "scheduler/plugins/affinity/affinity_hints.h"

#include <algorithm>

namespace proa::scheduler {
namespace affinity_hints {

// Upstream's podMatchesAllAffinityTerms: all terms, of anti-affinity too, and as if namespaces had
// no labels.
bool all_mean(const std::vector<AffinityTerm>& terms, const Pod& pod) {
  return !terms.empty() && std::all_of(terms.begin(), terms.end(), [&](const AffinityTerm& term) {
    return term.matches(pod.shape->name_space, pod.shape->labels.all(), {});
  });
}

bool is_nowhere(const Pod* pod) {
  return pod != nullptr && pod->node.empty() && pod->nominated_node.empty();
}

// One domain of the label became another.
bool moved(const std::string_view* before, const std::string_view* after) {
  return before != nullptr && after != nullptr && *before != *after;
}

}  // namespace affinity_hints

bool affinity_may_change_by_pod(const Pod& waiting, const Pod* before, const Pod* after) {
  using namespace affinity_hints;
  // The only event about the pod itself is a label change, which may end a conflict.
  if (before != nullptr && after != nullptr && after->uid() == waiting.uid()) return true;
  if (is_nowhere(before) || is_nowhere(after)) return false;
  const std::vector<AffinityTerm>& near = waiting.shape->affinity;
  const std::vector<AffinityTerm>& far = waiting.shape->anti_affinity;
  if (before != nullptr && after != nullptr) {
    return (!all_mean(near, *before) && all_mean(near, *after)) ||
           (all_mean(far, *before) && !all_mean(far, *after));
  }
  if (after != nullptr) return all_mean(near, *after);
  if (before == nullptr) return true;  // nothing is known about it
  return all_mean(far, *before) || all_mean(before->shape->anti_affinity, waiting);
}

bool affinity_may_change_by_node(const Pod& waiting, const NodeFacts* before,
                                 const NodeFacts& after) {
  using namespace affinity_hints;
  for (const AffinityTerm& term : waiting.shape->affinity) {
    const std::string_view* now = after.metadata().label(term.topology_key);
    const std::string_view* was =
        before == nullptr ? nullptr : before->metadata().label(term.topology_key);
    if ((was == nullptr && now != nullptr) || moved(was, now)) return true;
  }
  for (const AffinityTerm& term : waiting.shape->anti_affinity) {
    if (before == nullptr) return true;  // a node without the label takes any such pod
    const std::string_view* now = after.metadata().label(term.topology_key);
    const std::string_view* was = before->metadata().label(term.topology_key);
    if ((was != nullptr && now == nullptr) || moved(was, now)) return true;
  }
  return false;
}

}  // namespace proa::scheduler
