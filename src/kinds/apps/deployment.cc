#include "kinds/apps/deployment.h"

#include <fmt/format.h>

#include "api/validation/metadata.h"
#include "base/strings.h"
#include "kinds/checks/int_or_percent.h"
#include "kinds/checks/label_selector.h"
#include "kinds/core/pods/pod_owner.h"

namespace proa::kinds {

namespace deployment {

// The former spec.rollbackTo of extensions/v1beta1; upstream still reads it.
constexpr std::string_view kRollbackTo = "deprecated.deployment.rollback.to";

void validate_strategy(View strategy, const api::Path& path, api::FieldErrors& errors) {
  const std::string_view type = strategy["type"].text();
  const View rolling = strategy["rollingUpdate"];
  if (type == "Recreate") {
    if (rolling.exists()) {
      errors.forbidden(path.field("rollingUpdate"),
                       "may not be specified when strategy `type` is 'Recreate'");
    }
    return;
  }
  if (type != "RollingUpdate") {
    errors.not_supported(path, type, {"Recreate", "RollingUpdate"});
    return;
  }
  const api::Path rolling_path = path.field("rollingUpdate");
  const api::Path unavailable_path = rolling_path.field("maxUnavailable");
  const View unavailable = rolling["maxUnavailable"];
  const View surge = rolling["maxSurge"];
  validate_int_or_percent(unavailable, unavailable_path, errors);
  validate_int_or_percent(surge, rolling_path.field("maxSurge"), errors);
  if (int_or_percent_number(unavailable) == 0 && int_or_percent_number(surge) == 0)
    errors.invalid(unavailable_path, unavailable, "may not be 0 when `maxSurge` is 0");
  validate_at_most_100_percent(unavailable, unavailable_path, errors);
}

void validate_rollback(View object, api::FieldErrors& errors) {
  const std::string_view text = object["metadata"]["annotations"][kRollbackTo].text();
  if (text.empty()) return;
  const api::Path annotations("metadata.annotations");
  const auto revision = parse_int(text);
  if (!revision) {
    errors.invalid(annotations.key(kRollbackTo), text, "must be an integer");
  } else if (*revision < 0) {
    errors.invalid(api::Path("spec.rollback.version"), *revision,
                   "must be greater than or equal to 0");
  }
}

void validate(View object, api::FieldErrors& errors) {
  const api::Path path("spec");
  const View spec = object["spec"];
  api::validate_non_negative(spec["replicas"], path.field("replicas"), errors);
  validate_replicated_template(spec, path, errors);
  validate_strategy(spec["strategy"], path.field("strategy"), errors);
  api::validate_non_negative(spec["minReadySeconds"], path.field("minReadySeconds"), errors);
  api::validate_non_negative(spec["revisionHistoryLimit"], path.field("revisionHistoryLimit"),
                             errors);
  validate_rollback(object, errors);
  const View deadline = spec["progressDeadlineSeconds"];
  if (!deadline.exists()) return;
  const api::Path deadline_path = path.field("progressDeadlineSeconds");
  api::validate_non_negative(deadline, deadline_path, errors);
  if (deadline.integer() <= spec["minReadySeconds"].integer())
    errors.invalid(deadline_path, deadline, "must be greater than minReadySeconds");
}

void validate_update(View object, View old, api::FieldErrors& errors) {
  api::validate_immutable(object["spec"]["selector"], old["spec"]["selector"],
                          api::Path("spec.selector"), errors);
}

constexpr std::string_view kCounts[] = {"observedGeneration",  "replicas",
                                        "updatedReplicas",     "readyReplicas",
                                        "availableReplicas",   "unavailableReplicas",
                                        "terminatingReplicas", "collisionCount"};
constexpr std::string_view kPartsOfReplicas[] = {"updatedReplicas", "readyReplicas",
                                                 "availableReplicas"};

void validate_status_update(View object, View old, api::FieldErrors& errors) {
  validate_replica_status(object, old, {.counts = kCounts, .parts = kPartsOfReplicas}, errors);
}

void warn(View object, View old, Warnings& warnings) {
  if (!old.exists()) warn_about_owner_name(object, warnings);
  warn_about_template(object, old, warnings);
}

constexpr Column kColumns[] = {
    {.name = "Name", .format = "name"},
    {.name = "Ready", .description = "How many pods are ready, of how many there should be."},
    {.name = "Up-to-date", .description = "How many pods have the newest template."},
    {.name = "Available", .description = "How many pods have been ready for long enough."},
    {.name = "Age"},
    {.name = "Containers", .priority = 1, .description = "Names of the template's containers."},
    {.name = "Images", .priority = 1, .description = "Images of the template's containers."},
    {.name = "Selector", .priority = 1, .description = "Which pods are its own."},
};

void row(View object, Cells& cells) {
  const View spec = object["spec"];
  const View status = object["status"];
  cells.text(object["metadata"]["name"].text());
  cells.text(fmt::format("{}/{}", status["readyReplicas"].integer(), spec["replicas"].integer()));
  cells.number(status["updatedReplicas"].integer());
  cells.number(status["availableReplicas"].integer());
  cells.age(object["metadata"]["creationTimestamp"]);
  container_cells(spec["template"]["spec"], cells);
  const View selector = spec["selector"];
  cells.text(selector_is_valid(selector) ? selector_text(selector) : "<invalid>");
}

void default_deployment_strategy(api::Edit strategy) {
  if (strategy["type"].text() != "RollingUpdate") return;
  const api::Edit rolling = strategy.object("rollingUpdate");
  rolling.set_default("maxUnavailable", "25%");
  rolling.set_default("maxSurge", "25%");
}

constexpr TypeDefaults kDefaults[] = {{"apps/v1/DeploymentStrategy", default_deployment_strategy}};

}  // namespace deployment

KindRules deployment_rules() {
  return {
      .kind = "apps/v1/Deployment",
      .defaults = deployment::kDefaults,
      .validate = deployment::validate,
      .validate_update = deployment::validate_update,
      .validate_status_update = deployment::validate_status_update,
      .warn = deployment::warn,
      .columns = deployment::kColumns,
      .row = deployment::row,
  };
}

}  // namespace proa::kinds
