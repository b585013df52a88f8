#pragma once

#include <string>

#include "api/object/edit.h"
#include "controllers/framework/conditions.h"
#include "controllers/workload/deployment/facts.h"

namespace proa::controllers::deployments {

// What a deployment's status counts.
struct Counts {
  int64_t observed_generation = 0;
  int64_t replicas = 0;
  int64_t updated = 0;  // of the newest template
  int64_t ready = 0;
  int64_t available = 0;
  int64_t unavailable = 0;
  std::optional<int64_t> terminating = std::nullopt;  // absent when a set does not say

  bool operator==(const Counts&) const = default;
};
Counts read_counts(api::View status);
Counts count_pods(const Sets& sets, int64_t generation);
void put_counts(api::Edit status, const Counts& counts);

// All pods that are wanted are there, available, and of the newest template, and no others.
bool is_complete(const DeploymentFacts& deployment, const Counts& counts, int64_t generation);

// Says so unless it says that already: same status, same reason. `restate`: in any case, so that
// lastUpdateTime moves.
void put_condition(api::Edit status, const Condition& wanted, Time now, bool restate = false);

// Whether enough pods are available.
void put_available(api::Edit status, const DeploymentFacts& deployment, const Counts& counts,
                   Time now);
// Where the newest set came from: it was there, was made, or could not be made for that reason.
void put_found(api::Edit status, const DeploymentFacts& deployment, std::string_view set, Time now);
void put_created(api::Edit status, const DeploymentFacts& deployment, std::string_view set,
                 Time now);
void put_not_created(api::Edit status, const DeploymentFacts& deployment,
                     const std::string& message, Time now);
// That it stands still because somebody wants it to, or goes on: no time counts meanwhile.
void put_pause(api::Edit status, const DeploymentFacts& deployment, Time now);

struct Progress {
  std::string subject;  // what progresses: `ReplicaSet "web-5d4f"`
  Counts before;
  Counts after;
  int64_t generation = 0;
};
// Whether the rollout is over, goes on, or has not got any further for too long.
void put_progress(api::Edit status, const DeploymentFacts& deployment, const Progress& progress,
                  Time now);
// When to see whether the rollout takes too long; zero when there is nothing to see.
Duration next_progress_check(api::View status, const DeploymentFacts& deployment, Time now);

// What keeps a set from having its pods; the newest set's trouble comes before that of others.
void put_replica_failure(api::Edit status, const Sets& sets);

}  // namespace proa::controllers::deployments
