#include "controllers/workload/replicas/plan.h"

#include <algorithm>
#include <unordered_map>

#include "controllers/pods/pod_facts.h"

namespace proa::controllers::replicas {
namespace plan {

struct Ranked {
  const api::ObjectPtr* pod;
  const PodFacts* facts;
  size_t rank;
};

std::vector<Ranked> rank(std::span<const api::ObjectPtr> active,
                         std::span<const api::ObjectPtr> related) {
  std::unordered_map<std::string_view, size_t> on_node;
  for (const api::ObjectPtr& pod : related) {
    const PodFacts& facts = pod_facts(*pod);
    if (facts.active()) ++on_node[facts.node.view()];
  }
  std::vector<Ranked> ranked;
  ranked.reserve(active.size());
  for (const api::ObjectPtr& pod : active) {
    const PodFacts& facts = pod_facts(*pod);
    const auto found = on_node.find(facts.node.view());
    ranked.push_back({&pod, &facts, found == on_node.end() ? 0 : found->second});
  }
  return ranked;
}

}  // namespace plan

int64_t missing_replicas(int64_t wanted, size_t active) {
  return std::clamp(wanted - static_cast<int64_t>(active), -kBurst, kBurst);
}

std::vector<api::ObjectPtr> choose_to_remove(std::span<const api::ObjectPtr> active,
                                             std::span<const api::ObjectPtr> related, size_t count,
                                             Time now) {
  if (count >= active.size()) return {active.begin(), active.end()};
  std::vector<plan::Ranked> ranked = plan::rank(active, related);
  std::stable_sort(ranked.begin(), ranked.end(), [&](const auto& a, const auto& b) {
    return goes_before(*a.facts, a.rank, *b.facts, b.rank, now);
  });
  std::vector<api::ObjectPtr> chosen;
  for (size_t i = 0; i < count; ++i) chosen.push_back(*ranked[i].pod);
  return chosen;
}

}  // namespace proa::controllers::replicas
