#include "kinds/core/pods/pod_owner.h"

#include "api/validation/metadata.h"
#include "base/strings.h"
#include "kinds/checks/label_selector.h"
#include "kinds/core/pods/pod_template.h"
#include "kinds/printing/texts.h"

namespace proa::kinds {

void validate_required_selector(View selector, std::string_view kind, const api::Path& path,
                                api::FieldErrors& errors) {
  if (!selector.exists()) {
    errors.required(path);
    return;
  }
  api::validate_label_selector(selector, path, errors);
  if (selector_is_empty(selector))
    errors.invalid(path, selector, "empty selector is invalid for " + std::string(kind));
}

void validate_template_labels(View pod_template, View selector, const api::Path& path,
                              api::FieldErrors& errors) {
  const View labels = pod_template["metadata"]["labels"];
  if (selector_matches(selector, labels)) return;
  errors.invalid(path.field("metadata.labels"), labels,
                 "`selector` does not match template `labels`");
}

void validate_restarting_template(View pod_template, std::string_view kind, const api::Path& path,
                                  api::FieldErrors& errors) {
  const View spec = pod_template["spec"];
  const std::string_view restart = spec["restartPolicy"].text();
  if (restart != "Always")
    errors.not_supported(path.field("spec.restartPolicy"), restart, {"Always"});
  if (spec["activeDeadlineSeconds"].exists()) {
    errors.forbidden(path.field("spec.activeDeadlineSeconds"),
                     "activeDeadlineSeconds in " + std::string(kind) + " is not Supported");
  }
}

void validate_replicated_template(View spec, const api::Path& path, api::FieldErrors& errors) {
  const View selector = spec["selector"];
  // As upstream, ReplicaSets are called deployments in this message.
  validate_required_selector(selector, "deployment", path.field("selector"), errors);
  if (!selector_is_valid(selector)) {
    errors.invalid(path.field("selector"), selector, "invalid label selector");
    return;
  }
  const api::Path template_path = path.field("template");
  const View pod_template = spec["template"];
  validate_template_labels(pod_template, selector, template_path, errors);
  validate_pod_template(pod_template, template_path, errors);
  validate_restarting_template(pod_template, "ReplicaSet", template_path, errors);
}

void validate_counts(View status, std::span<const std::string_view> names, const api::Path& path,
                     api::FieldErrors& errors) {
  for (const std::string_view name : names)
    api::validate_non_negative(status[name], path.field(name), errors);
}

void validate_collision_count(View status, View old, const api::Path& path,
                              api::FieldErrors& errors) {
  const View before = old["collisionCount"];
  const int64_t count = status["collisionCount"].integer();
  if (before.exists() && count < before.integer())
    errors.invalid(path.field("collisionCount"), count, "cannot be decremented");
}

void validate_replica_status(View object, View old, const ReplicaCounts& fields,
                             api::FieldErrors& errors) {
  const api::Path path("status");
  const View status = object["status"];
  validate_counts(status, fields.counts, path, errors);
  for (const std::string_view part : fields.parts) {
    if (status[part].integer() > status["replicas"].integer()) {
      errors.invalid(path.field(part), status[part].integer(),
                     "cannot be greater than status.replicas");
    }
  }
  const int64_t available = status["availableReplicas"].integer();
  if (available > status["readyReplicas"].integer()) {
    errors.invalid(path.field("availableReplicas"), available,
                   "cannot be greater than " + std::string(fields.ready));
  }
  validate_collision_count(status, old["status"], path, errors);
}

void warn_about_owner_name(View object, Warnings& warnings) {
  const api::Problems problems = api::check_dns1123_label(object["metadata"]["name"].text());
  if (problems.empty()) return;
  warnings.emplace_back(
      "metadata.name: this is used in Pod names and hostnames, which can result in surprising "
      "behavior; a DNS label is recommended: [" +
      join(problems, " ") + "]");
}

void warn_about_template(View object, View old, Warnings& warnings) {
  if (old.exists() && object["spec"] == old["spec"]) return;
  warn_about_pod_template(object["spec"]["template"], api::Path("spec.template"), warnings);
}

void container_cells(View pod_spec, Cells& cells) {
  const View containers = pod_spec["containers"];
  cells.text(join_member(containers, "name"));
  cells.text(join_member(containers, "image"));
}

}  // namespace proa::kinds
