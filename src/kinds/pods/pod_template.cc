#include "kinds/pods/pod_template.h"

#include "api/validation/metadata.h"
#include "kinds/pods/annotations.h"
#include "kinds/pods/spec/spec.h"
#include "kinds/pods/warnings.h"

namespace proa::kinds {

void validate_pod_template(View pod_template, const api::Path& path, api::FieldErrors& errors) {
  const View metadata = pod_template["metadata"];
  const View spec = pod_template["spec"];
  // As upstream does, these leave "metadata" out of the path.
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

}  // namespace proa::kinds
