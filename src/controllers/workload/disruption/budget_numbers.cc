#include "controllers/workload/disruption/budget_numbers.h"

#include <algorithm>

#include "controllers/framework/conditions.h"
#include "controllers/pods/pod_facts.h"
#include "controllers/pods/share.h"

namespace proa::controllers::disruption {
namespace budget_numbers {

using api::Edit;
using api::View;

constexpr std::string_view kCondition = "DisruptionAllowed";
// From the eviction to the deletion that follows it.
constexpr Duration kDeletionTimeout = std::chrono::minutes(2);

void put_condition(Edit status, const Condition& condition, Time now) {
  set_condition(status, condition, now);
  const Edit list = status.array("conditions");
  for (size_t i = 0; i < list.size(); ++i) {
    const Edit one = list.item(i);
    if (one["type"].text() != kCondition) continue;
    one.set_default("message", "");  // of these conditions it is never absent
  }
}

}  // namespace budget_numbers

bool asks_for_scale(api::View spec) {
  return spec["maxUnavailable"].exists() || spec["minAvailable"].is(json::Kind::kString);
}

int64_t desired_healthy(api::View spec, int64_t expected) {
  const api::View most_missing = spec["maxUnavailable"];
  if (!most_missing.exists()) return Share::from(spec["minAvailable"]).rounded_up(expected);
  return std::max<int64_t>(0, expected - Share::from(most_missing).rounded_up(expected));
}

bool Disrupted::has(std::string_view pod) const {
  const auto found =
      std::lower_bound(pods.begin(), pods.end(), pod,
                       [](const auto& one, std::string_view name) { return one.first < name; });
  return found != pods.end() && found->first == pod;
}

Disrupted still_disrupted(const std::vector<api::ObjectPtr>& pods, api::View written, Time now) {
  Disrupted disrupted;
  if (written.empty()) return disrupted;
  for (const api::ObjectPtr& pod : pods) {
    if (pod->metadata().being_deleted) continue;
    const api::View since = written[pod->metadata().name];
    const Result<Time> time = parse_time(since.text());
    if (!time) continue;
    const Duration left = *time + budget_numbers::kDeletionTimeout - now;
    if (left <= Duration::zero()) {
      disrupted.stayed.push_back(pod);
      continue;
    }
    disrupted.pods.emplace_back(pod->metadata().name, since.text());
    disrupted.look_again = std::min(left, disrupted.look_again.value_or(left));
  }
  return disrupted;
}

int64_t count_healthy(const std::vector<api::ObjectPtr>& pods, const Disrupted& disrupted) {
  return std::count_if(pods.begin(), pods.end(), [&](const api::ObjectPtr& pod) {
    return !pod->metadata().being_deleted && pod_facts(*pod).ready &&
           !disrupted.has(pod->metadata().name);
  });
}

// A budget without pods allows nothing: when its first pods come, nobody has counted them yet.
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
