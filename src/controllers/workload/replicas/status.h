#pragma once

#include <optional>
#include <span>

#include "api/object/edit.h"
#include "base/result.h"
#include "base/time.h"
#include "controllers/workload/replicas/set_facts.h"

namespace proa::controllers::replicas {

// The counts in the status.
struct Counts {
  int64_t replicas = 0;
  int64_t fully_labeled = 0;
  int64_t ready = 0;
  int64_t available = 0;
  // Terminating pods, for kinds whose status has them.
  std::optional<int64_t> terminating = std::nullopt;

  bool operator==(const Counts&) const = default;
};
// `active`: pods that count as replicas.
Counts count_replicas(const SetFacts& set, std::span<const api::ObjectPtr> active, Time now);
void put_counts(api::Edit status, const Counts& counts, int64_t generation);

// Sets the condition ReplicaFailure if pods could not be created (`missing` > 0) or deleted, or
// removes it. The first failure stays, as upstream's.
void put_failure(api::Edit status, const Result<void>& outcome, int64_t missing, Time now);

}  // namespace proa::controllers::replicas
