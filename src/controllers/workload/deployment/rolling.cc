#include "controllers/workload/deployment/rolling.h"

#include <algorithm>

namespace proa::controllers::deployments {
namespace rolling {

// The sizes of the sets, updated by the plan.
std::vector<int64_t> sizes_of(const Sets& sets) {
  std::vector<int64_t> sizes;
  for (const OwnedSet& set : sets.all) sizes.push_back(set.facts.replicas);
  return sizes;
}

// A set that was scaled down and whose status is not up to date: its available pods are unknown.
bool lags_behind(const Sets& sets) {
  for (size_t i = 0; i < sets.all.size(); ++i) {
    const SetFacts& set = sets.at(i);
    if (sets.is_old(i) && set.replicas > 0 && set.available > set.replicas) return true;
  }
  return false;
}

// Scales down old sets by up to `most` pods: at most `may_go(i)` of each, oldest first.
template <typename MayGo>
void shrink_old(const Sets& sets, int64_t most, std::vector<int64_t>& sizes, MayGo may_go) {
  for (size_t i = 0; i < sizes.size() && most > 0; ++i) {
    if (!sets.is_old(i)) continue;
    const int64_t gone = std::clamp<int64_t>(may_go(i), 0, most);
    sizes[i] -= gone;
    most -= gone;
  }
}

void plan_old(const DeploymentFacts& deployment, const Sets& sets, std::vector<int64_t>& sizes) {
  const SetFacts& newest = sets.at(*sets.newest);
  const int64_t least = deployment.least_available();
  // New pods that are not available yet do not replace old ones.
  const int64_t may_go = sets.total() - least - (newest.replicas - newest.available);
  if (may_go <= 0 || lags_behind(sets)) return;
  // Unavailable pods first: they may block the rollout.
  shrink_old(sets, may_go, sizes, [&](size_t i) { return sizes[i] - sets.at(i).available; });
  int64_t available = newest.available;
  for (size_t i = 0; i < sets.all.size(); ++i) {
    if (sets.is_old(i) && sets.at(i).replicas > 0) available += sets.at(i).available;
  }
  shrink_old(sets, available - least, sizes, [&](size_t i) { return sizes[i]; });
}

}  // namespace rolling

int64_t size_of_newest(const DeploymentFacts& deployment, int64_t total, int64_t size) {
  if (!deployment.rolling || size > deployment.replicas) return deployment.replicas;
  const int64_t room = std::max<int64_t>(deployment.most_pods() - total, 0);
  return size + std::min(room, deployment.replicas - size);
}

std::vector<Resize> plan_rolling(const DeploymentFacts& deployment, const Sets& sets) {
  const size_t newest = *sets.newest;
  std::vector<int64_t> sizes = rolling::sizes_of(sets);
  sizes[newest] = size_of_newest(deployment, sets.total(), sizes[newest]);
  rolling::plan_old(deployment, sets, sizes);
  std::vector<Resize> plan;
  if (sizes[newest] != sets.at(newest).replicas) plan.push_back({newest, sizes[newest]});
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sets.is_old(i) && sizes[i] != sets.at(i).replicas) plan.push_back({i, sizes[i]});
  }
  return plan;
}

std::vector<Resize> plan_recreate(const Sets& sets) {
  std::vector<Resize> plan;
  for (size_t i = 0; i < sets.all.size(); ++i) {
    if (sets.is_old(i) && sets.at(i).replicas > 0) plan.push_back({i, 0});
  }
  return plan;
}

}  // namespace proa::controllers::deployments
