#include "controllers/workload/deployment/rolling.h"

#include <algorithm>

namespace proa::controllers::deployments {
namespace rolling {

// The sizes that sets have while a plan is made.
std::vector<int64_t> sizes_of(const Sets& sets) {
  std::vector<int64_t> sizes;
  for (const OwnedSet& set : sets.all) sizes.push_back(set.facts.replicas);
  return sizes;
}

// A set that was made smaller, and whose pods are still counted: until its status follows, nobody
// knows how many pods remain available.
bool lags_behind(const Sets& sets) {
  for (size_t i = 0; i < sets.all.size(); ++i) {
    const SetFacts& set = sets.at(i);
    if (sets.is_old(i) && set.replicas > 0 && set.available > set.replicas) return true;
  }
  return false;
}

// Takes up to `most` pods from old sets: as many as `may_go(i)` says from each, the oldest first.
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
  // New pods that are not available yet must not make old ones go.
  const int64_t may_go = sets.total() - least - (newest.replicas - newest.available);
  if (may_go <= 0 || lags_behind(sets)) return;
  // Those that serve nobody first; they may be why nothing moves on.
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
