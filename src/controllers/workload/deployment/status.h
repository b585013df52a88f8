#pragma once

#include <string>

#include "api/object/edit.h"
#include "controllers/framework/conditions.h"
#include "controllers/workload/deployment/facts.h"

namespace proa::controllers::deployments {

// The counts in a Deployment's status.
struct Counts {
  int64_t observed_generation = 0;
  int64_t replicas = 0;
  int64_t updated = 0;  // of the current template
  int64_t ready = 0;
  int64_t available = 0;
  int64_t unavailable = 0;
  std::optional<int64_t> terminating = std::nullopt;  // nullopt if unknown for a set

  bool operator==(const Counts&) const = default;
};
Counts read_counts(api::View status);
Counts count_pods(const Sets& sets, int64_t generation);
void put_counts(api::Edit status, const Counts& counts);

// Whether all pods are updated and available, and no old ones remain.
bool is_complete(const DeploymentFacts& deployment, const Counts& counts, int64_t generation);

// Sets the condition unless it has the same status and reason. `restate`: in any case, to update
// lastUpdateTime.
void put_condition(api::Edit status, const Condition& wanted, Time now, bool restate = false);

// Sets the condition Available.
void put_available(api::Edit status, const DeploymentFacts& deployment, const Counts& counts,
                   Time now);
// Set the condition Progressing: the newest set was found, created, or could not be created.
void put_found(api::Edit status, const DeploymentFacts& deployment, std::string_view set, Time now);
void put_created(api::Edit status, const DeploymentFacts& deployment, std::string_view set,
                 Time now);
void put_not_created(api::Edit status, const DeploymentFacts& deployment,
                     const std::string& message, Time now);
// Sets the condition Progressing for a paused or resumed Deployment; the deadline is suspended.
void put_pause(api::Edit status, const DeploymentFacts& deployment, Time now);

struct Progress {
  std::string subject;  // `ReplicaSet "web-5d4f"`
  Counts before;
  Counts after;
  int64_t generation = 0;
};
// Sets the condition Progressing: complete, progressing or past the deadline.
void put_progress(api::Edit status, const DeploymentFacts& deployment, const Progress& progress,
                  Time now);
// When to check the progress deadline; zero: no check.
Duration next_progress_check(api::View status, const DeploymentFacts& deployment, Time now);

// Sets the condition ReplicaFailure; the newest set takes precedence.
void put_replica_failure(api::Edit status, const Sets& sets);

}  // namespace proa::controllers::deployments
