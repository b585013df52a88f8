#include "kinds/autoscaling/scale.h"

#include "api/validation/metadata.h"

namespace proa::kinds {

namespace scale {

void validate(View object, api::FieldErrors& errors) {
  api::validate_non_negative(object["spec"]["replicas"], api::Path("spec.replicas"), errors);
}

constexpr Column kColumns[] = {
    {.name = "Name"},
    {.name = "Desired", .type = "integer", .description = "How many replicas there should be."},
    {.name = "Available", .type = "integer", .description = "How many replicas there are."},
    {.name = "Age"},
};

void row(View object, Cells& cells) {
  cells.text(object["metadata"]["name"].text());
  cells.number(object["spec"]["replicas"].integer());
  cells.number(object["status"]["replicas"].integer());
  cells.age(object["metadata"]["creationTimestamp"]);
}

}  // namespace scale

KindRules scale_rules() {
  return {
      .kind = "autoscaling/v1/Scale",
      .validate = scale::validate,
      .columns = scale::kColumns,
      .row = scale::row,
  };
}

}  // namespace proa::kinds
