#pragma once

#include <span>
#include <string>

#include "api/object/edit.h"
#include "api/object/object.h"
#include "base/time.h"
#include "controllers/workload/stateful/stateful_facts.h"

namespace proa::controllers {

// The status of a StatefulSet.
struct StatefulStatus {
  int64_t generation = 0;
  int64_t replicas = 0;
  int64_t ready = 0;
  int64_t available = 0;
  int64_t current = 0;  // of the current revision
  int64_t updated = 0;  // of the update revision
  std::string current_revision;
  std::string update_revision;
  int64_t collisions = 0;
};

// Counts the pods. REQUIRES: the revisions are set.
void count_stateful_pods(StatefulStatus& status, std::span<const api::ObjectPtr> pods,
                         int64_t min_ready_seconds, Time now);
// Completes an update: the update revision becomes the current one.
void complete_update(StatefulStatus& status, const StatefulFacts& facts);
void put_stateful_status(api::Edit root, const StatefulStatus& status);

}  // namespace proa::controllers
