#include "apiserver/resources/subresources/budgets.h"

#include "api/selector/label_selector.h"
#include "apiserver/objects/keys.h"
#include "apiserver/resources/subresources/conditions.h"

namespace proa::apiserver {
namespace budgets {

using api::Edit;
using api::View;

// More unconfirmed evictions indicate that the controller is down.
constexpr size_t kMaxDisrupted = 2000;
constexpr std::string_view kCondition = "DisruptionAllowed";

std::string_view name_of(View budget) { return budget["metadata"]["name"].text(); }

Status too_many(std::string message, int retry_after_seconds) {
  StatusDetails details;
  details.retry_after_seconds = retry_after_seconds;
  details.causes.push_back({"DisruptionBudget", std::move(message), ""});
  return Status(Reason::kTooManyRequests,
                "Cannot evict pod as it would violate the pod's disruption budget.")
      .with_details(std::move(details));
}

Status forbidden(View budget, std::string_view why) {
  const std::string name(name_of(budget));
  StatusDetails details;
  details.name = name;
  details.group = "policy";
  details.kind = "poddisruptionbudget";
  return Status(Reason::kForbidden,
                "poddisruptionbudget.policy \"" + name + "\" is forbidden: " + std::string(why))
      .with_details(std::move(details));
}

// Why a budget allows no disruption.
std::string why_exhausted(View budget) {
  const std::string name = "The disruption budget " + std::string(name_of(budget));
  const View status = budget["status"];
  const View condition = find_condition(status, kCondition);
  const std::string reason(condition["reason"].text());
  const std::string message(condition["message"].text());
  const bool explains = condition["status"].text() == "False" && !message.empty();
  // Checked first: the numbers of a failed sync are unreliable.
  if (explains && reason == "SyncFailed") {
    return name + " does not allow evicting pods currently because it failed sync: " + message;
  }
  const int64_t healthy = status["currentHealthy"].integer();
  const int64_t desired = status["desiredHealthy"].integer();
  if (healthy <= desired) {
    return name + " needs " + std::to_string(desired) + " healthy pods and has " +
           std::to_string(healthy) + " currently";
  }
  if (explains) {
    return name + " does not allow evicting pods currently (" + reason + "): " + message;
  }
  return name + " does not allow evicting pods currently";
}

}  // namespace budgets

Result<std::vector<json::Document>> budgets_of(const ApiContext& context,
                                               std::string_view name_space, api::View labels) {
  const api::Resource* resource =
      context.schema.find_resource("policy", "v1", "poddisruptionbudgets");
  const store::RangeResult range = TRY(context.store.range(
      {.keys = store::KeyRange::prefix(prefix_of(*resource, name_space)), .revision = {}}));
  std::vector<json::Document> found;
  for (const store::EntryPtr& entry : range.entries) {
    json::Document budget = TRY(object_of(entry)->document());
    const Result<api::LabelSelector> selector =
        api::LabelSelector::from(api::View(budget.root())["spec"]["selector"]);
    if (selector && selector->matches(labels)) found.push_back(std::move(budget));
  }
  return found;
}

bool allows_unready_eviction(api::View budget) {
  if (budget["spec"]["unhealthyPodEvictionPolicy"].text() == "AlwaysAllow") return true;
  const int64_t desired = budget["status"]["desiredHealthy"].integer();
  return desired > 0 && budget["status"]["currentHealthy"].integer() >= desired;
}

Status budget_is_behind(std::string_view name) {
  return budgets::too_many(
      "The disruption budget " + std::string(name) + " is still being processed by the server.",
      10);
}

Result<void> check_budget(api::View budget) {
  const api::View status = budget["status"];
  if (status["observedGeneration"].integer() < budget["metadata"]["generation"].integer()) {
    return budget_is_behind(budgets::name_of(budget));
  }
  const int64_t allowed = status["disruptionsAllowed"].integer();
  if (allowed < 0) return budgets::forbidden(budget, "pdb disruptions allowed is negative");
  if (status["disruptedPods"].size() > budgets::kMaxDisrupted) {
    return budgets::forbidden(budget,
                              "DisruptedPods map too big - too many evictions not confirmed by PDB "
                              "controller");
  }
  if (allowed == 0) return budgets::too_many(budgets::why_exhausted(budget), 0);
  return {};
}

void take_disruption(api::Edit budget, std::string_view pod, Time now) {
  const api::Edit status = budget.object("status");
  const int64_t left = status["disruptionsAllowed"].integer() - 1;
  status.set("disruptionsAllowed", left);
  status.object("disruptedPods").set(pod, format_time(now));
  if (left > 0) return;
  set_condition(status,
                {.type = budgets::kCondition,
                 .status = "False",
                 .reason = "InsufficientPods",
                 .observed_generation = status["observedGeneration"].integer()},
                now);
}

}  // namespace proa::apiserver
