#include "kinds/policy/pod_disruption_budget.h"

#include "api/validation/metadata.h"
#include "kinds/checks/conditions.h"
#include "kinds/checks/int_or_percent.h"
#include "kinds/core/pods/pod_owner.h"

namespace proa::kinds {

namespace pod_disruption_budget {

constexpr std::string_view kEvictionPolicies[] = {"AlwaysAllow", "IfHealthyBudget"};

void validate(View object, api::FieldErrors& errors) {
  const api::Path path("spec");
  const View spec = object["spec"];
  if (spec["minAvailable"].exists() && spec["maxUnavailable"].exists())
    errors.invalid(path, spec, "minAvailable and maxUnavailable cannot be both set");
  for (const std::string_view name : {"minAvailable", "maxUnavailable"}) {
    validate_int_or_percent(spec[name], path.field(name), errors);
    validate_at_most_100_percent(spec[name], path.field(name), errors);
  }
  api::validate_label_selector(spec["selector"], path.field("selector"), errors);
  api::validate_enum(spec["unhealthyPodEvictionPolicy"], kEvictionPolicies,
                     path.field("unhealthyPodEvictionPolicy"), errors);
}

constexpr std::string_view kCounts[] = {"disruptionsAllowed", "currentHealthy", "desiredHealthy",
                                        "expectedPods"};

void validate_status_update(View object, View /*old*/, api::FieldErrors& errors) {
  const api::Path path("status");
  const View status = object["status"];
  validate_conditions(status["conditions"], path.field("conditions"), errors);
  validate_counts(status, kCounts, path, errors);
}

constexpr Column kColumns[] = {
    {.name = "Name", .format = "name"},
    {.name = "Min Available", .description = "How many pods must stay up."},
    {.name = "Max Unavailable", .description = "How many pods may be down."},
    {.name = "Allowed Disruptions", .type = "integer", .description = "How many may go now."},
    {.name = "Age"},
};

void amount_cell(View amount, Cells& cells) {
  cells.text(!amount.exists()                 ? "N/A"
             : amount.is(json::Kind::kString) ? std::string(amount.text())
                                              : std::to_string(amount.integer()));
}

void row(View object, Cells& cells) {
  cells.text(object["metadata"]["name"].text());
  amount_cell(object["spec"]["minAvailable"], cells);
  amount_cell(object["spec"]["maxUnavailable"], cells);
  cells.number(object["status"]["disruptionsAllowed"].integer());
  cells.age(object["metadata"]["creationTimestamp"]);
}

}  // namespace pod_disruption_budget

KindRules pod_disruption_budget_rules() {
  return {
      .kind = "policy/v1/PodDisruptionBudget",
      .metadata = {.create = "", .update = "", .status = ""},
      .validate = pod_disruption_budget::validate,
      .validate_status_update = pod_disruption_budget::validate_status_update,
      .columns = pod_disruption_budget::kColumns,
      .row = pod_disruption_budget::row,
  };
}

}  // namespace proa::kinds
