#include "controllers/workload/disruption/budget_numbers.h"

#include <algorithm>

#include "controllers/framework/conditions.h"
#include "controllers/pods/pod_facts.h"
#include "controllers/pods/share.h"

namespace proa::controllers::disruption {
namespace budget_numbers {

using api::Edit;

constexpr std::string_view kCondition = "DisruptionAllowed";
// From the eviction to the deletion that follows it.
constexpr Duration kDeletionTimeout = std::chrono::minutes(2);

void put_condition(Edit status, const Condition& condition, Time now) {
  set_condition(status, condition, now);
  const Edit list = status.array("conditions");
  for (size_t i = 0; i < list.size(); ++i) {
    const Edit one = list.item(i);
    if (one["type"].text() != kCondition) continue;
    one.set_default("message", "");  // these conditions always have a message
  }
}

}  // namespace budget_numbers

bool needs_expected_count(const objects::DisruptionBudgetSpec& spec) {
  return spec.max_unavailable || (spec.min_available && !spec.min_available->is_number());
}

int64_t desired_healthy(const objects::DisruptionBudgetSpec& spec, int64_t expected) {
  if (!spec.max_unavailable) return Share::from(spec.min_available).rounded_up(expected);
  return std::max<int64_t>(0, expected - Share::from(spec.max_unavailable).rounded_up(expected));
}

bool Disrupted::has(std::string_view pod) const {
  const auto found =
      std::lower_bound(pods.begin(), pods.end(), pod,
                       [](const auto& one, std::string_view name) { return one.first < name; });
  return found != pods.end() && found->first == pod;
}

Disrupted still_disrupted(const std::vector<api::ObjectPtr>& pods,
                          const objects::DisruptionBudgetStatus& status, Time now) {
  Disrupted disrupted;
  if (status.disrupted_pods.empty()) return disrupted;
  for (const api::ObjectPtr& pod : pods) {
    if (pod->metadata().being_deleted) continue;
    const auto found = status.disrupted_pods.find(pod->metadata().name);
    if (found == status.disrupted_pods.end()) continue;
    const Result<Time> time = parse_time(found->second);
    if (!time) continue;
    const Duration left = *time + budget_numbers::kDeletionTimeout - now;
    if (left <= Duration::zero()) {
      disrupted.expired.push_back(pod);
      continue;
    }
    disrupted.pods.emplace_back(pod->metadata().name, found->second);
    disrupted.recheck = std::min(left, disrupted.recheck.value_or(left));
  }
  return disrupted;
}

int64_t count_healthy(const std::vector<api::ObjectPtr>& pods, const Disrupted& disrupted) {
  return std::count_if(pods.begin(), pods.end(), [&](const api::ObjectPtr& pod) {
    return !pod->metadata().being_deleted && pod_facts(*pod).ready &&
           !disrupted.has(pod->metadata().name);
  });
}

// A budget without pods allows none: its first pods may be evicted before they are counted.
int64_t BudgetNumbers::allowed() const {
  return expected <= 0 ? 0 : std::max<int64_t>(0, healthy - desired);
}

void put_numbers(api::Edit budget, const BudgetNumbers& numbers, const Disrupted& disrupted,
                 Time now) {
  const int64_t generation = budget["metadata"]["generation"].integer();
  const api::Edit status = budget.object("status");
  status.set("observedGeneration", generation);
  status.set("currentHealthy", numbers.healthy);
  status.set("desiredHealthy", numbers.desired);
  status.set("expectedPods", numbers.expected);
  status.set("disruptionsAllowed", numbers.allowed());
  status.remove("disruptedPods");
  for (const auto& [pod, since] : disrupted.pods) status.object("disruptedPods").set(pod, since);
  const bool some = numbers.allowed() > 0;
  budget_numbers::put_condition(status,
                                {.type = budget_numbers::kCondition,
                                 .status = some ? "True" : "False",
                                 .reason = some ? "SufficientPods" : "InsufficientPods",
                                 .observed_generation = generation},
                                now);
}

void put_failure(api::Edit budget, const std::string& why, Time now) {
  const api::Edit status = budget.object("status");
  status.set("disruptionsAllowed", 0);
  budget_numbers::put_condition(status,
                                {.type = budget_numbers::kCondition,
                                 .status = "False",
                                 .reason = "SyncFailed",
                                 .message = why,
                                 .observed_generation = status["observedGeneration"].integer()},
                                now);
}

}  // namespace proa::controllers::disruption
