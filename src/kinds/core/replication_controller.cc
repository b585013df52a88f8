#include "kinds/core/replication_controller.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "kinds/checks/fields.h"
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
  const View containers = object.at("spec.template.spec.containers");
  cells.text(object["metadata"]["name"].text());
  cells.number(object["spec"]["replicas"].integer());
  cells.number(object["status"]["replicas"].integer());
  cells.number(object["status"]["readyReplicas"].integer());
  cells.age(object["metadata"]["creationTimestamp"]);
  cells.text(join_member(containers, "name"));
  cells.text(join_member(containers, "image"));
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
  const Path pod = path.field("spec");
  const View policy = pod_template["spec"]["restartPolicy"];
  if (policy.text() != "Always") {
    errors.not_supported(pod.field("restartPolicy"), policy.text(), {"Always"});
  }
  if (pod_template["spec"]["activeDeadlineSeconds"]) {
    errors.forbidden(pod.field("activeDeadlineSeconds"),
                     "activeDeadlineSeconds in ReplicationController is not Supported");
  }
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

void validate_status_update(View object, View, FieldErrors& errors) {
  const View status = object["status"];
  const Path path("status");
  for (const std::string_view name : {"replicas", "fullyLabeledReplicas", "readyReplicas",
                                      "availableReplicas", "observedGeneration"}) {
    check_not_negative(status[name], path.field(name), errors);
  }
  const int64_t replicas = status["replicas"].integer();
  for (const std::string_view name :
       {"fullyLabeledReplicas", "readyReplicas", "availableReplicas"}) {
    if (status[name].integer() <= replicas) continue;
    errors.invalid(path.field(name), status[name], "cannot be greater than status.replicas");
  }
  if (status["availableReplicas"].integer() > status["readyReplicas"].integer()) {
    errors.invalid(path.field("availableReplicas"), status["availableReplicas"],
                   "cannot be greater than readyReplicas");
  }
}

void warn(View object, View old, Warnings& warnings) {
  if (!old) {
    const auto problems = api::check_dns1123_label(object["metadata"]["name"].text());
    if (!problems.empty()) {
      warnings.emplace_back(
          fmt::format("metadata.name: this is used in Pod names and hostnames, which can result in "
                      "surprising behavior; a DNS label is recommended: [{}]",
                      join(problems, " ")));
    }
  } else if (object["spec"] == old["spec"]) {
    return;
  }
  warn_about_pod_template(object["spec"]["template"], Path("spec.template"), warnings);
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
          .defaults = replication_controller::kDefaults,
          .validate = replication_controller::validate,
          .validate_status_update = replication_controller::validate_status_update,
          .warn = replication_controller::warn,
          .columns = replication_controller::kColumns,
          .row = replication_controller::row};
}

}  // namespace proa::kinds
