#pragma once

#include <optional>
#include <span>

#include "api/object/edit.h"
#include "base/result.h"
#include "base/time.h"
#include "controllers/workload/replicas/set_facts.h"

namespace proa::controllers::replicas {

// What a set's status counts.
struct Counts {
  int64_t replicas = 0;
  int64_t fully_labeled = 0;
  int64_t ready = 0;
  int64_t available = 0;
  // Of kinds whose status has that: pods on their way out.
  std::optional<int64_t> terminating = std::nullopt;

  bool operator==(const Counts&) const = default;
};
// `active`: the set's pods that count as replicas.
Counts count_replicas(const SetFacts& set, std::span<const api::ObjectPtr> active, Time now);
void put_counts(api::Edit status, const Counts& counts, int64_t generation);

// Says that pods could not be made (`missing` > 0) or removed, or takes that back. The first
// failure stays until there is none: as upstream has it.
void put_failure(api::Edit status, const Result<void>& outcome, int64_t missing, Time now);

}  // namespace proa::controllers::replicas
