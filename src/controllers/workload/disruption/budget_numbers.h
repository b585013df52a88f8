#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/object/edit.h"
#include "api/object/object.h"
#include "base/time.h"

// What a PodDisruptionBudget's status says, worked out of what is there. Touches nothing.

namespace proa::controllers::disruption {

// Whether the budget asks how many pods there should be: for a share of them, or for how many may
// be missing.
bool asks_for_scale(api::View spec);
// How many have to be healthy of that many.
int64_t desired_healthy(api::View spec, int64_t expected);

// Pods that the eviction API let go, and that are not seen to be going yet: they count as gone for
// two minutes, and then, if nothing happened to them, as there.
struct Disrupted {
  std::vector<std::pair<std::string, std::string>> pods = {};  // by name: when, as written
  std::vector<api::ObjectPtr> stayed = {};                     // too long
  std::optional<Duration> look_again = std::nullopt;

  bool has(std::string_view pod) const;
};
// `pods`: those of the budget, by name. `written`: status.disruptedPods.
Disrupted still_disrupted(const std::vector<api::ObjectPtr>& pods, api::View written, Time now);

// Ready, and not on their way out.
int64_t count_healthy(const std::vector<api::ObjectPtr>& pods, const Disrupted& disrupted);

struct BudgetNumbers {
  int64_t healthy = 0;
  int64_t desired = 0;
  int64_t expected = 0;

  int64_t allowed() const;
};
// All of a budget's status. What is as it was stays untouched.
void put_numbers(api::Edit budget, const BudgetNumbers& numbers, const Disrupted& disrupted,
                 Time now);
// The numbers could not be worked out: nothing may be disrupted until they can.
void put_failure(api::Edit budget, const std::string& why, Time now);

}  // namespace proa::controllers::disruption
