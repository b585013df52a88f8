#include "controllers/workload/stateful/stateful_plan.h"

#include <optional>

namespace proa::controllers {
namespace stateful_plan {

using Action = StatefulAction;
using Steps = std::vector<StatefulStep>;

// Adds the steps for this pod. False if the next one must wait: in order, each pod waits until all
// before it are available.
bool plan_replica(const StatefulMember& pod, bool parallel, Steps& steps) {
  if (!pod.exists) {
    if (!pod.claims_left) steps.push_back({Action::kCreate, pod.ordinal});
    return parallel;
  }
  if (pod.finished) {
    if (!pod.being_deleted) steps.push_back({Action::kRemove, pod.ordinal});
    return parallel;
  }
  const bool waits = !parallel && (pod.being_deleted || !pod.ready || !pod.available);
  const bool claims = pod.pending && (pod.claims_missing || pod.claims_misowned);
  if (!waits && (pod.unlike_identity || (pod.claims_misowned && !claims))) {
    steps.push_back({Action::kRepair, pod.ordinal});
  } else if (claims) {
    steps.push_back({Action::kClaims, pod.ordinal});
  }
  return !waits;
}

// The lowest unavailable pod; it may be deleted although it is unavailable.
std::optional<int64_t> first_unhealthy(std::span<const StatefulMember> condemned) {
  std::optional<int64_t> first;
  for (const StatefulMember& pod : condemned) {
    if (!pod.healthy()) first = pod.ordinal;
  }
  return first;
}

Steps plan_condemned(std::span<const StatefulMember> condemned, bool parallel) {
  Steps steps;
  if (parallel) {
    for (const StatefulMember& pod : condemned) {
      if (!pod.being_deleted) steps.push_back({Action::kRemove, pod.ordinal});
    }
    return steps;
  }
  const StatefulMember& last = condemned.front();
  if (last.being_deleted) return steps;
  // A finished pod never becomes available, so it is not waited for. Upstream's processCondemned
  // waits, and blocks if there are two of them.
  const bool serves = last.finished || (last.ready && last.available);
  if (!serves && first_unhealthy(condemned) != last.ordinal) return steps;
  return {{Action::kRemove, last.ordinal}};
}

Steps plan_update(std::span<const StatefulMember> replicas, int64_t first_updated) {
  for (auto pod = replicas.rbegin(); pod != replicas.rend(); ++pod) {
    if (pod->ordinal < first_updated || pod->finished) break;
    if (pod->exists && pod->outdated && !pod->being_deleted) {
      return {{Action::kRemoveForUpdate, pod->ordinal}};
    }
    if (!pod->healthy()) break;
  }
  return {};
}

}  // namespace stateful_plan

StatefulStages plan_stateful(const StatefulPolicy& policy, std::span<const StatefulMember> replicas,
                             std::span<const StatefulMember> condemned) {
  StatefulStages stages(1);
  for (const StatefulMember& pod : replicas) {
    if (!stateful_plan::plan_replica(pod, policy.parallel, stages[0])) return stages;
  }
  stateful_plan::Steps claims;
  for (const StatefulMember& pod : condemned) {
    if (pod.claims_misowned) claims.push_back({StatefulAction::kClaimOwners, pod.ordinal});
  }
  stages.push_back(std::move(claims));
  if (!condemned.empty()) {
    stages.push_back(stateful_plan::plan_condemned(condemned, policy.parallel));
    // Scaling takes precedence over updates.
    if (!policy.parallel) return stages;
  }
  if (policy.updates) {
    stages.push_back(stateful_plan::plan_update(replicas, policy.first_updated));
  }
  return stages;
}

}  // namespace proa::controllers
