#include "controllers/workload/deployment/status.h"

#include <fmt/format.h>

#include <algorithm>

#include "controllers/framework/writes.h"

namespace proa::controllers::deployments {
namespace status {

using api::Edit;
using api::View;

// Times in conditions have whole seconds: the deadline may be up to this much later.
constexpr Duration kTimeGranularity = std::chrono::seconds(1);
constexpr std::string_view kProgressing = "Progressing";
constexpr std::string_view kFailure = "ReplicaFailure";
// Reasons that decide what comes next.
constexpr std::string_view kDone = "NewReplicaSetAvailable";
constexpr std::string_view kTooLate = "ProgressDeadlineExceeded";
constexpr std::string_view kPaused = "DeploymentPaused";

bool says(View condition, const Condition& wanted) {
  return condition.exists() && condition["status"].text() == wanted.status &&
         condition["reason"].text() == wanted.reason;
}

// Appended at the end, as upstream does.
void put_last(Edit status, const Condition& wanted, std::string_view updated,
              std::string_view turned) {
  remove_condition(status, wanted.type);
  const Edit added = status.array("conditions").push_object();
  added.set("type", wanted.type);
  added.set("status", wanted.status);
  added.set("lastUpdateTime", updated);
  added.set("lastTransitionTime", turned);
  added.set("reason", wanted.reason);
  added.set("message", wanted.message);
}

bool got_further(const Counts& before, const Counts& after) {
  return after.updated > before.updated ||
         after.replicas - after.updated < before.replicas - before.updated ||
         after.ready > before.ready || after.available > before.available;
}

// Starts the condition Progressing; only with a deadline.
void put_start(Edit status, const DeploymentFacts& deployment, std::string_view value,
               std::string_view reason, const std::string& message, Time now) {
  if (!deployment.progress_deadline) return;
  put_condition(status,
                {.type = kProgressing, .status = value, .reason = reason, .message = message}, now);
}

// The progress deadline; nullopt if none applies.
std::optional<Time> deadline_of(View condition, const DeploymentFacts& deployment) {
  const std::string_view reason = condition["reason"].text();
  if (!deployment.progress_deadline || !condition.exists() || reason == kDone) return std::nullopt;
  const Result<Time> updated = parse_time(condition["lastUpdateTime"].text());
  if (!updated) return std::nullopt;
  return *updated + *deployment.progress_deadline;
}

}  // namespace status

Counts read_counts(api::View status) {
  Counts counts{.observed_generation = status["observedGeneration"].integer(),
                .replicas = status["replicas"].integer(),
                .updated = status["updatedReplicas"].integer(),
                .ready = status["readyReplicas"].integer(),
                .available = status["availableReplicas"].integer(),
                .unavailable = status["unavailableReplicas"].integer()};
  if (const api::View terminating = status["terminatingReplicas"]) {
    counts.terminating = terminating.integer();
  }
  return counts;
}

Counts count_pods(const Sets& sets, int64_t generation) {
  Counts counts{.observed_generation = generation, .terminating = 0};
  for (size_t i = 0; i < sets.all.size(); ++i) {
    const SetFacts& set = sets.at(i);
    counts.replicas += set.current;
    counts.ready += set.ready;
    counts.available += set.available;
    if (!sets.is_old(i)) counts.updated = set.current;
    if (!set.terminating) counts.terminating.reset();
    if (counts.terminating) *counts.terminating += *set.terminating;
  }
  counts.unavailable = std::max<int64_t>(sets.total() - counts.available, 0);
  return counts;
}

void put_counts(api::Edit status, const Counts& counts) {
  put_count(status, "observedGeneration", counts.observed_generation);
  put_count(status, "replicas", counts.replicas);
  put_count(status, "updatedReplicas", counts.updated);
  put_count(status, "readyReplicas", counts.ready);
  put_count(status, "availableReplicas", counts.available);
  put_count(status, "unavailableReplicas", counts.unavailable);
  if (counts.terminating) {
    status.set("terminatingReplicas", *counts.terminating);
  } else {
    status.remove("terminatingReplicas");
  }
}

bool is_complete(const DeploymentFacts& deployment, const Counts& counts, int64_t generation) {
  return counts.updated == deployment.replicas && counts.replicas == deployment.replicas &&
         counts.available == deployment.replicas && counts.observed_generation >= generation;
}

void put_condition(api::Edit status, const Condition& wanted, Time now, bool restate) {
  const api::View found = find_condition(status.view(), wanted.type);
  if (status::says(found, wanted) && !restate) return;
  const std::string time = format_time(now);
  const bool turned = found["status"].text() != wanted.status;
  const std::string since = turned ? time : std::string(found["lastTransitionTime"].text());
  status::put_last(status, wanted, time, since);
}

void put_available(api::Edit status, const DeploymentFacts& deployment, const Counts& counts,
                   Time now) {
  const bool enough = counts.available >= deployment.least_available();
  put_condition(status,
                {.type = "Available",
                 .status = enough ? "True" : "False",
                 .reason = enough ? "MinimumReplicasAvailable" : "MinimumReplicasUnavailable",
                 .message = enough ? "Deployment has minimum availability."
                                   : "Deployment does not have minimum availability."},
                now);
}

void put_found(api::Edit status, const DeploymentFacts& deployment, std::string_view set,
               Time now) {
  if (find_condition(status.view(), status::kProgressing)) return;
  status::put_start(status, deployment, "True", "FoundNewReplicaSet",
                    fmt::format("Found new replica set \"{}\"", set), now);
}

void put_created(api::Edit status, const DeploymentFacts& deployment, std::string_view set,
                 Time now) {
  status::put_start(status, deployment, "True", "NewReplicaSetCreated",
                    fmt::format("Created new replica set \"{}\"", set), now);
}

void put_not_created(api::Edit status, const DeploymentFacts& deployment,
                     const std::string& message, Time now) {
  status::put_start(status, deployment, "False", "ReplicaSetCreateError", message, now);
}

void put_pause(api::Edit status, const DeploymentFacts& deployment, Time now) {
  if (!deployment.progress_deadline) return;
  const std::string_view reason =
      find_condition(status.view(), status::kProgressing)["reason"].text();
  const bool was_paused = reason == status::kPaused;
  // After ProgressDeadlineExceeded the condition changes only on progress.
  if (reason == status::kTooLate || was_paused == deployment.paused) return;
  put_condition(status,
                {.type = status::kProgressing,
                 .status = "Unknown",
                 .reason = deployment.paused ? status::kPaused : "DeploymentResumed",
                 .message = deployment.paused ? "Deployment is paused" : "Deployment is resumed"},
                now);
}

void put_progress(api::Edit status, const DeploymentFacts& deployment, const Progress& progress,
                  Time now) {
  if (!deployment.progress_deadline) {
    remove_condition(status, status::kProgressing);
    return;
  }
  const api::View current = find_condition(status.view(), status::kProgressing);
  // The rollout is complete: later changes are not part of it.
  if (progress.after.replicas == progress.after.updated &&
      current["reason"].text() == status::kDone) {
    return;
  }
  const std::optional<Time> deadline = status::deadline_of(current, deployment);
  Condition wanted{.type = status::kProgressing, .status = "True"};
  if (is_complete(deployment, progress.after, progress.generation)) {
    wanted.reason = status::kDone;
    wanted.message = progress.subject + " has successfully progressed.";
    put_condition(status, wanted, now);
  } else if (status::got_further(progress.before, progress.after)) {
    wanted.reason = "ReplicaSetUpdated";
    wanted.message = progress.subject + " is progressing.";
    put_condition(status, wanted, now, true);
  } else if (deadline && (*deadline < now || current["reason"].text() == status::kTooLate)) {
    wanted.status = "False";
    wanted.reason = status::kTooLate;
    wanted.message = progress.subject + " has timed out progressing.";
    put_condition(status, wanted, now);
  }
}

Duration next_progress_check(api::View status, const DeploymentFacts& deployment, Time now) {
  const api::View current = find_condition(status, status::kProgressing);
  const std::optional<Time> deadline = status::deadline_of(current, deployment);
  if (!deadline || current["reason"].text() == status::kTooLate) return Duration{0};
  return std::max(*deadline - now, Duration{0}) + status::kTimeGranularity;
}

void put_replica_failure(api::Edit status, const Sets& sets) {
  const SetFacts::Failure* failure = nullptr;
  for (size_t i = 0; i < sets.all.size(); ++i) {
    const SetFacts& set = sets.at(i);
    if (set.failure && (failure == nullptr || !sets.is_old(i))) failure = &*set.failure;
  }
  if (failure == nullptr) {
    remove_condition(status, status::kFailure);
    return;
  }
  const Condition wanted{.type = status::kFailure,
                         .status = failure->status,
                         .reason = failure->reason,
                         .message = failure->message};
  const api::View found = find_condition(status.view(), status::kFailure);
  if (status::says(found, wanted)) return;
  const bool turned = found["status"].text() != wanted.status;
  const std::string since =
      turned ? failure->since : std::string(found["lastTransitionTime"].text());
  status::put_last(status, wanted, failure->since, since);
}

}  // namespace proa::controllers::deployments
