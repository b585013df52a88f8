#include "kinds/resource/resource_claim_template.h"

#include "api/validation/metadata.h"
#include "kinds/resource/claim_spec.h"

namespace proa::kinds {

namespace resource_claim_template {

void validate(View object, api::FieldErrors& errors) {
  const api::Path path("spec");
  api::validate_template_metadata(object["spec"]["metadata"], path.field("metadata"), errors);
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
          .metadata = {.update = "MU"},
          .validate = resource_claim_template::validate,
          .validate_update = resource_claim_template::validate_update,
          .columns = resource_claim_template::kColumns,
          .row = resource_claim_template::row};
}

}  // namespace proa::kinds
