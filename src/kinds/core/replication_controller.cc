#include "kinds/core/replication_controller.h"

#include <algorithm>

#include "kinds/checks/fields.h"
#include "kinds/core/pods/pod_owner.h"
#include "kinds/core/pods/pod_template.h"
#include "kinds/printing/texts.h"

namespace proa::kinds {

namespace replication_controller {

using api::FieldErrors;
using api::Path;

constexpr Column kColumns[] = {
    {.name = "Name", .format = "name"},
    {.name = "Desired", .type = "integer"},
    {.name = "Current", .type = "integer"},
    {.name = "Ready", .type = "integer"},
    {.name = "Age"},
    {.name = "Containers", .priority = 1},
    {.name = "Images", .priority = 1},
    {.name = "Selector", .priority = 1},
};

void row(View object, Cells& cells) {
  cells.text(object["metadata"]["name"].text());
  cells.number(object["spec"]["replicas"].integer());
  cells.number(object["status"]["replicas"].integer());
  cells.number(object["status"]["readyReplicas"].integer());
  cells.age(object["metadata"]["creationTimestamp"]);
  container_cells(object.at("spec.template.spec"), cells);
  cells.text(format_labels(object["spec"]["selector"]));
}

bool selects(View selector, View labels) {
  const auto members = selector.members();
  return std::all_of(members.begin(), members.end(), [&](const json::Member& member) {
    return labels[member.key] == View(member.value);
  });
}

void validate_template(View spec, const Path& path, FieldErrors& errors) {
  const View pod_template = spec["template"];
  if (!pod_template) return errors.required(path);
  const View labels = pod_template["metadata"]["labels"];
  if (!spec["selector"].empty() && !selects(spec["selector"], labels)) {
    errors.invalid(path.field("metadata.labels"), labels,
                   "`selector` does not match template `labels`");
  }
  validate_pod_template(pod_template, path, errors);
  validate_restarting_template(pod_template, "ReplicationController", path, errors);
}

void validate(View object, FieldErrors& errors) {
  const View spec = object["spec"];
  const Path path("spec");
  check_not_negative(spec["minReadySeconds"], path.field("minReadySeconds"), errors);
  if (spec["selector"].empty()) errors.required(path.field("selector"));
  if (!spec["replicas"]) errors.required(path.field("replicas"));
  check_not_negative(spec["replicas"], path.field("replicas"), errors);
  validate_template(spec, path.field("template"), errors);
}

constexpr std::string_view kCounts[] = {"replicas", "fullyLabeledReplicas", "readyReplicas",
                                        "availableReplicas", "observedGeneration"};
constexpr std::string_view kPartsOfReplicas[] = {"fullyLabeledReplicas", "readyReplicas",
                                                 "availableReplicas"};

void validate_status_update(View object, View old, FieldErrors& errors) {
  validate_replica_status(object, old, {.counts = kCounts, .parts = kPartsOfReplicas}, errors);
}

void warn(View object, View old, Warnings& warnings) {
  if (!old.exists()) warn_about_owner_name(object, warnings);
  warn_about_template(object, old, warnings);
}

void default_replication_controller(api::Edit controller) {
  const View labels = controller.view().at("spec.template.metadata.labels");
  if (labels.empty()) return;
  if (controller["spec"]["selector"].empty()) controller.object("spec").copy("selector", labels);
  if (controller["metadata"]["labels"].empty()) {
    controller.object("metadata").copy("labels", labels);
  }
}

constexpr TypeDefaults kDefaults[] = {{"v1/ReplicationController", default_replication_controller}};

}  // namespace replication_controller

KindRules replication_controller_rules() {
  return {.kind = "v1/ReplicationController",
          .metadata = {.create = "N"},
          .defaults = replication_controller::kDefaults,
          .validate = replication_controller::validate,
          .validate_status_update = replication_controller::validate_status_update,
          .warn = replication_controller::warn,
          .columns = replication_controller::kColumns,
          .row = replication_controller::row};
}

}  // namespace proa::kinds
