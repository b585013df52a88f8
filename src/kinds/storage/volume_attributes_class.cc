#include "kinds/storage/volume_attributes_class.h"

#include "kinds/checks/drivers.h"

namespace proa::kinds {

namespace volume_attributes_class {

void validate(View object, api::FieldErrors& errors) {
  validate_provisioner(object["driverName"], api::Path("driverName"), errors);
  const api::Path path("parameters");
  validate_parameters(object["parameters"], path, errors);
  if (object["parameters"].empty()) {
    errors.required(path, "must contain at least one key/value pair");
  }
}

void validate_update(View object, View old, api::FieldErrors& errors) {
  if (object["driverName"] != old["driverName"]) {
    errors.forbidden(api::Path("driverName"), "updates to driverName are forbidden.");
  }
  if (object["parameters"] != old["parameters"]) {
    errors.forbidden(api::Path("parameters"), "updates to parameters are forbidden.");
  }
}

constexpr Column kColumns[] = {
    {.name = "Name", .format = "name"},
    {.name = "DriverName", .description = "The driver that knows what it means."},
    {.name = "Age"},
};

void row(View object, Cells& cells) {
  cells.text(object["metadata"]["name"].text());
  cells.text(object["driverName"].text());
  cells.age(object["metadata"]["creationTimestamp"]);
}

}  // namespace volume_attributes_class

KindRules volume_attributes_class_rules() {
  return {.kind = "storage.k8s.io/v1/VolumeAttributesClass",
          .metadata = {.update = "UM"},
          .validate = volume_attributes_class::validate,
          .validate_update = volume_attributes_class::validate_update,
          .update_comes_first = true,
          .columns = volume_attributes_class::kColumns,
          .row = volume_attributes_class::row};
}

}  // namespace proa::kinds
