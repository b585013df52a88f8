#include "controllers/workload/replicas/status.h"

#include <algorithm>

#include "controllers/framework/conditions.h"
#include "controllers/framework/writes.h"
#include "controllers/pods/pod_facts.h"

namespace proa::controllers::replicas {
namespace status {

constexpr std::string_view kFailure = "ReplicaFailure";

}  // namespace status

Counts count_replicas(const SetFacts& set, std::span<const api::ObjectPtr> active, Time now) {
  Counts counts;
  counts.replicas = static_cast<int64_t>(active.size());
  for (const api::ObjectPtr& pod : active) {
    const PodFacts& facts = pod_facts(*pod);
    if (set.template_labels.matches(pod->metadata().labels)) ++counts.fully_labeled;
    if (facts.ready) ++counts.ready;
    if (facts.available(set.min_ready_seconds, now)) ++counts.available;
  }
  return counts;
}

void put_counts(api::Edit status, const Counts& counts, int64_t generation) {
  status.set("replicas", counts.replicas);
  put_count(status, "fullyLabeledReplicas", counts.fully_labeled);
  put_count(status, "readyReplicas", counts.ready);
  put_count(status, "availableReplicas", counts.available);
  if (counts.terminating) status.set("terminatingReplicas", *counts.terminating);
  put_count(status, "observedGeneration", generation);
}

void put_failure(api::Edit status, const Result<void>& outcome, int64_t missing, Time now) {
  if (outcome) {
    remove_condition(status, status::kFailure);
  } else if (!find_condition(status.view(), status::kFailure)) {
    set_condition(status,
                  {.type = status::kFailure,
                   .status = "True",
                   .reason = missing > 0 ? "FailedCreate" : "FailedDelete",
                   .message = outcome.status().message()},
                  now);
  }
}

}  // namespace proa::controllers::replicas
