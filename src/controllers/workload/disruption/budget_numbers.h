#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/object/edit.h"
#include "api/object/object.h"
#include "base/time.h"
#include "controllers/workload/objects/disruption_budget.h"

// Computes the status of a PodDisruptionBudget. Pure functions.

namespace proa::controllers::disruption {

// Whether the budget depends on the expected number of pods: it has a percentage or maxUnavailable.
bool needs_expected_count(const objects::DisruptionBudgetSpec& spec);
// The number of pods that must be healthy, of that many.
int64_t desired_healthy(const objects::DisruptionBudgetSpec& spec, int64_t expected);

// Pods that were evicted but are not being deleted yet. They count as disrupted for two minutes;
// after that the eviction is considered failed.
struct Disrupted {
  std::vector<std::pair<std::string, std::string>> pods = {};  // by name: eviction time, as written
  std::vector<api::ObjectPtr> expired = {};                    // not deleted in time
  std::optional<Duration> recheck = std::nullopt;              // when the next one expires

  bool has(std::string_view pod) const;
};
// `pods`: those of the budget, sorted by name.
Disrupted still_disrupted(const std::vector<api::ObjectPtr>& pods,
                          const objects::DisruptionBudgetStatus& status, Time now);

// Counts pods that are ready and neither disrupted nor being deleted.
int64_t count_healthy(const std::vector<api::ObjectPtr>& pods, const Disrupted& disrupted);

struct BudgetNumbers {
  int64_t healthy = 0;
  int64_t desired = 0;
  int64_t expected = 0;

  int64_t allowed() const;
};
// Writes the whole status. Unchanged fields are not touched.
void put_numbers(api::Edit budget, const BudgetNumbers& numbers, const Disrupted& disrupted,
                 Time now);
// Writes a failed computation: no disruptions are allowed.
void put_failure(api::Edit budget, const std::string& why, Time now);

}  // namespace proa::controllers::disruption
