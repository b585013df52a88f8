#include "kinds/resource/device_class.h"

#include "kinds/core/resources/resources.h"
#include "kinds/resource/claim_spec.h"
#include "kinds/resource/device_names.h"

namespace proa::kinds {

namespace device_class {

void validate(View object, api::FieldErrors& errors) {
  const api::Path path("spec");
  const View spec = object["spec"];
  devices::validate_selectors(spec["selectors"], path.field("selectors"), errors);
  const auto check = [&](View configuration, const api::Path& at) {
    devices::validate_configuration(configuration, at, errors);
  };
  devices::validate_list(spec["config"], devices::kMaxConfigurations, path.field("config"), errors,
                         check);
  const View extended = spec["extendedResourceName"];
  if (extended && !pods::is_extended_resource(extended.text())) {
    errors.invalid(path.field("extendedResourceName"), extended.text(),
                   "must be a valid extended resource name");
  }
}

constexpr Column kColumns[] = {{.name = "Name", .format = "name"}, {.name = "Age"}};

void row(View object, Cells& cells) {
  cells.text(object["metadata"]["name"].text());
  cells.age(object["metadata"]["creationTimestamp"]);
}

}  // namespace device_class

KindRules device_class_rules() {
  return {.kind = "resource.k8s.io/v1/DeviceClass",
          .metadata = {.create = "N", .update = "NU"},
          .validate = device_class::validate,
          .columns = device_class::kColumns,
          .row = device_class::row};
}

}  // namespace proa::kinds
