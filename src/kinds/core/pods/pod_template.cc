#include "kinds/core/pods/pod_template.h"

#include "api/validation/metadata.h"
#include "kinds/core/pods/pod_spec.h"
#include "kinds/core/pods/rows.h"
#include "kinds/core/pods/spec/annotations.h"
#include "kinds/core/pods/warnings.h"

namespace proa::kinds {

namespace pod_template {

void validate(View object, api::FieldErrors& errors) {
  validate_pod_template(object["template"], api::Path("template"), errors);
}

void warn(View object, View old, Warnings& warnings) {
  if (old.exists() && object["template"] == old["template"]) return;
  warn_about_pod_template(object["template"], api::Path("template"), warnings);
}

}  // namespace pod_template

void validate_pod_template(View pod_template, const api::Path& path, api::FieldErrors& errors) {
  const View metadata = pod_template["metadata"];
  const View spec = pod_template["spec"];
  // As upstream, these paths omit "metadata".
  const api::Path annotations = path.field("annotations");
  const api::Path spec_path = path.field("spec");
  api::validate_labels(metadata["labels"], path.field("labels"), errors);
  api::validate_annotations(metadata["annotations"], annotations, errors);
  pods::validate_special_annotations(metadata["annotations"], spec, annotations, errors);
  pods::validate_pod_spec(spec, View(), spec_path, errors);
  pods::validate_profile_annotations(metadata, spec, spec_path, errors);
  if (!spec["ephemeralContainers"].empty()) {
    errors.forbidden(spec_path.field("ephemeralContainers"),
                     "ephemeral containers not allowed in pod template");
  }
}

void warn_about_pod_template(View pod_template, const api::Path& path, Warnings& warnings) {
  pods::warn_about_pod(pod_template, path, warnings);
  pods::warn_about_app_armor_annotations(pod_template, path, warnings);
}

KindRules pod_template_rules() {
  return {.kind = "v1/PodTemplate",
          .validate = pod_template::validate,
          .warn = pod_template::warn,
          .columns = pods::pod_template_columns(),
          .row = pods::pod_template_row};
}

}  // namespace proa::kinds
