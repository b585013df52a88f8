#include "kinds/apps/replica_set.h"

#include "api/validation/metadata.h"
#include "kinds/checks/label_selector.h"
#include "kinds/core/pods/pod_owner.h"

namespace proa::kinds {

namespace replica_set {

void validate(View object, api::FieldErrors& errors) {
  const api::Path path("spec");
  const View spec = object["spec"];
  api::validate_non_negative(spec["replicas"], path.field("replicas"), errors);
  api::validate_non_negative(spec["minReadySeconds"], path.field("minReadySeconds"), errors);
  validate_replicated_template(spec, path, errors);
}

void validate_update(View object, View old, api::FieldErrors& errors) {
  api::validate_immutable(object["spec"]["selector"], old["spec"]["selector"],
                          api::Path("spec.selector"), errors);
}

constexpr std::string_view kCounts[] = {"replicas",           "fullyLabeledReplicas",
                                        "readyReplicas",      "availableReplicas",
                                        "observedGeneration", "terminatingReplicas"};
constexpr std::string_view kPartsOfReplicas[] = {"fullyLabeledReplicas", "readyReplicas",
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
    {.name = "Desired", .type = "integer", .description = "How many pods there should be."},
    {.name = "Current", .type = "integer", .description = "How many pods there are."},
    {.name = "Ready", .type = "integer", .description = "How many of them are ready."},
    {.name = "Age"},
    {.name = "Containers", .priority = 1, .description = "Names of the template's containers."},
    {.name = "Images", .priority = 1, .description = "Images of the template's containers."},
    {.name = "Selector", .priority = 1, .description = "Which pods are its own."},
};

void row(View object, Cells& cells) {
  const View spec = object["spec"];
  const View status = object["status"];
  cells.text(object["metadata"]["name"].text());
  cells.number(spec["replicas"].integer());
  cells.number(status["replicas"].integer());
  cells.number(status["readyReplicas"].integer());
  cells.age(object["metadata"]["creationTimestamp"]);
  container_cells(spec["template"]["spec"], cells);
  cells.text(selector_cell(spec["selector"]));
}

}  // namespace replica_set

KindRules replica_set_rules() {
  return {
      .kind = "apps/v1/ReplicaSet",
      .validate = replica_set::validate,
      .validate_update = replica_set::validate_update,
      .validate_status_update = replica_set::validate_status_update,
      .warn = replica_set::warn,
      .columns = replica_set::kColumns,
      .row = replica_set::row,
  };
}

}  // namespace proa::kinds
