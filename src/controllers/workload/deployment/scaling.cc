#include "controllers/workload/deployment/scaling.h"

#include <algorithm>
#include <cmath>

namespace proa::controllers::deployments {
namespace scaling {

std::vector<size_t> active(const Sets& sets) {
  std::vector<size_t> found;
  for (size_t i = 0; i < sets.all.size(); ++i) {
    if (sets.at(i).replicas > 0) found.push_back(i);
  }
  return found;
}

// The only set with pods, or the newest if none has any; nullopt if several have pods.
std::optional<size_t> only_one(const Sets& sets, const std::vector<size_t>& active) {
  if (active.size() == 1) return active.front();
  if (!active.empty() || sets.all.empty()) return std::nullopt;
  return sets.newest.value_or(sets.all.size() - 1);
}

bool is_saturated(const DeploymentFacts& deployment, const Sets& sets) {
  if (!sets.newest) return false;
  const SetFacts& newest = sets.at(*sets.newest);
  return newest.replicas == deployment.replicas && newest.available == deployment.replicas &&
         newest.desired_replicas == deployment.replicas;
}

// Largest sets first; of equal size, the newest when scaling up, else the oldest.
void sort_by_size(std::vector<size_t>& order, const Sets& sets, bool grow) {
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    if (sets.at(a).replicas != sets.at(b).replicas) {
      return sets.at(a).replicas > sets.at(b).replicas;
    }
    return grow ? a > b : a < b;  // `all` has the oldest first
  });
}

// The change of a set that keeps its share.
int64_t share_of_change(const DeploymentFacts& deployment, const SetFacts& set) {
  if (deployment.replicas == 0) return -set.replicas;
  int64_t most_before = set.max_replicas.value_or(0);
  // The annotation is missing: approximate.
  if (most_before == 0) most_before = deployment.status_replicas;
  if (most_before == 0) return 0;
  const double size =
      static_cast<double>(set.replicas * deployment.most_pods()) / static_cast<double>(most_before);
  return std::llround(size) - set.replicas;
}

std::vector<Resize> in_proportion(const DeploymentFacts& deployment, const Sets& sets,
                                  std::vector<size_t> order) {
  const int64_t allowed = deployment.replicas > 0 ? deployment.most_pods() : 0;
  const int64_t to_add = allowed - sets.total();
  if (to_add != 0) sort_by_size(order, sets, to_add > 0);
  std::vector<Resize> plan;
  int64_t left = to_add;
  for (const size_t i : order) {
    const SetFacts& set = sets.at(i);
    int64_t change = left == 0 ? 0 : share_of_change(deployment, set);
    change = to_add > 0 ? std::min(change, left) : std::max(change, left);
    plan.push_back({i, set.replicas + change});
    left -= change;
  }
  // The rounding remainder goes to the largest set.
  if (!plan.empty()) plan[0].replicas = std::max<int64_t>(plan[0].replicas + left, 0);
  return plan;
}

}  // namespace scaling

bool was_scaled(const DeploymentFacts& deployment, const Sets& sets) {
  for (const OwnedSet& set : sets.all) {
    if (set.facts.replicas == 0 || !set.facts.desired_replicas) continue;
    if (*set.facts.desired_replicas != deployment.replicas) return true;
  }
  return false;
}

std::vector<Resize> plan_scaling(const DeploymentFacts& deployment, const Sets& sets) {
  const std::vector<size_t> active = scaling::active(sets);
  if (const auto only = scaling::only_one(sets, active)) {
    const SetFacts& set = sets.at(*only);
    // Upstream skips a set that already has the size, and then considers the Deployment scaled in
    // every reconcile.
    const bool told = !set.desired_replicas || *set.desired_replicas == deployment.replicas;
    if (set.replicas == deployment.replicas && told) return {};
    return {{*only, deployment.replicas}};
  }
  if (scaling::is_saturated(deployment, sets)) return plan_recreate(sets);
  if (!deployment.rolling) return {};
  return scaling::in_proportion(deployment, sets, active);
}

}  // namespace proa::controllers::deployments
