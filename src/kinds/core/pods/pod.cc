#include "kinds/core/pods/pod.h"

#include <fmt/format.h>

#include "base/strings.h"
#include "kinds/core/pods/changes/status_update.h"
#include "kinds/core/pods/changes/update.h"
#include "kinds/core/pods/defaults.h"
#include "kinds/core/pods/pod_spec.h"
#include "kinds/core/pods/prepare.h"
#include "kinds/core/pods/rows.h"
#include "kinds/core/pods/spec/annotations.h"
#include "kinds/core/pods/warnings.h"

namespace proa::kinds::pods {

namespace pod {

void validate_create(View object, api::FieldErrors& errors) {
  const View spec = object["spec"];
  const Path path("spec");
  if (!spec["ephemeralContainers"].empty())
    errors.forbidden(path.field("ephemeralContainers"), "cannot be set on create");
  if (!spec["nodeName"].text().empty() && !spec["schedulingGates"].empty()) {
    errors.forbidden(path.field("nodeName"),
                     "cannot be set until all schedulingGates have been cleared");
  }
  validate_profile_annotations(object["metadata"], spec, path, errors);
}

// No warnings on updates: programs update pods all the time, and nobody would read them.
void warn(View object, View old, Warnings& warnings) {
  if (old.exists()) return;
  const auto problems = api::check_dns1123_label(object["metadata"]["name"].text());
  if (!problems.empty()) {
    warnings.push_back(fmt::format(
        "metadata.name: this is used in the Pod's hostname, which can result in surprising "
        "behavior; a DNS label is recommended: [{}]",
        join(problems, " ")));
  }
  warn_about_pod(object, api::Path(), warnings);
}

// Pods that were never scheduled or have terminated are deleted at once.
int64_t grace_period(View pod, std::optional<int64_t> requested) {
  const int64_t grace = requested.value_or(pod["spec"]["terminationGracePeriodSeconds"].integer(0));
  const std::string_view phase = pod["status"]["phase"].text();
  const bool at_once =
      pod["spec"]["nodeName"].text().empty() || phase == "Failed" || phase == "Succeeded";
  if (at_once) return 0;
  return grace < 0 ? 1 : grace;
}

}  // namespace pod

void validate_pod(View object, api::FieldErrors& errors) {
  const Path metadata("metadata");
  const Path spec("spec");
  validate_special_annotations(object["metadata"]["annotations"], object["spec"],
                               metadata.field("annotations"), errors);
  validate_pod_spec(object["spec"], object["metadata"], spec, errors);
}

}  // namespace proa::kinds::pods

namespace proa::kinds {

KindRules pod_rules() {
  return {.kind = "v1/Pod",
          .metadata = {.update = "UM"},
          .defaults = pods::type_defaults(),
          .prepare_create = pods::prepare_pod_create,
          .prepare_status_update = pods::prepare_pod_status_update,
          .validate = pods::validate_pod,
          .validate_create = pods::pod::validate_create,
          .validate_update = pods::validate_pod_update,
          .validate_status_update = pods::validate_pod_status_update,
          .warn = pods::pod::warn,
          .grace_period = pods::pod::grace_period,
          .columns = pods::pod_columns(),
          .row = pods::pod_row};
}

}  // namespace proa::kinds
