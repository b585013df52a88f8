#include "kinds/resource/resource_claim_template.h"

#include "api/validation/metadata.h"
#include "kinds/resource/claim_spec.h"

namespace proa::kinds {

namespace resource_claim_template {

void validate(View object, api::FieldErrors& errors) {
  const api::Path path("spec");
  const View metadata = object["spec"]["metadata"];
  const api::Path metadata_path = path.field("metadata");
  api::validate_annotations(metadata["annotations"], metadata_path.field("annotations"), errors);
  api::validate_labels(metadata["labels"], metadata_path.field("labels"), errors);
  devices::validate_claim_spec(object["spec"]["spec"], path.field("spec"), errors);
}

void validate_update(View object, View old, api::FieldErrors& errors) {
  api::validate_immutable(object["spec"], old["spec"], api::Path("spec"), errors);
}

constexpr Column kColumns[] = {{.name = "Name", .format = "name"}, {.name = "Age"}};

void row(View object, Cells& cells) {
  cells.text(object["metadata"]["name"].text());
  cells.age(object["metadata"]["creationTimestamp"]);
}

}  // namespace resource_claim_template

KindRules resource_claim_template_rules() {
  return {.kind = "resource.k8s.io/v1/ResourceClaimTemplate",
          .validate = resource_claim_template::validate,
          .validate_update = resource_claim_template::validate_update,
          .columns = resource_claim_template::kColumns,
          .row = resource_claim_template::row};
}

}  // namespace proa::kinds
