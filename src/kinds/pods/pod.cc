#include "kinds/pods/pod.h"

#include <fmt/format.h>

#include "base/strings.h"
#include "kinds/pods/annotations.h"
#include "kinds/pods/changes/status_update.h"
#include "kinds/pods/changes/update.h"
#include "kinds/pods/prepare.h"
#include "kinds/pods/rows.h"
#include "kinds/pods/spec/spec.h"
#include "kinds/pods/warnings.h"

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

// Pods are changed all the time, by programs: nobody would read it.
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

}  // namespace pod

void validate_pod(View object, api::FieldErrors& errors) {
  const Path metadata("metadata");
  const Path spec("spec");
  validate_special_annotations(object["metadata"]["annotations"], object["spec"],
                               metadata.field("annotations"), errors);
  validate_pod_spec(object["spec"], object["metadata"], spec, errors);
}

KindRules pod_kind() {
  return {.kind = "v1/Pod",
          .prepare_create = prepare_pod_create,
          .prepare_status_update = prepare_pod_status_update,
          .validate = validate_pod,
          .validate_create = pod::validate_create,
          .validate_update = validate_pod_update,
          .validate_status_update = validate_pod_status_update,
          .warn = pod::warn,
          .columns = pod_columns(),
          .row = pod_row};
}

}  // namespace proa::kinds::pods
