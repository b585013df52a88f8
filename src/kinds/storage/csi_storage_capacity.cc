#include "kinds/storage/csi_storage_capacity.h"

#include <fmt/format.h>

#include "api/quantity.h"
#include "api/validation/metadata.h"
#include "kinds/core/placement/node_labels.h"

namespace proa::kinds {

namespace csi_storage_capacity {

void validate(View object, api::FieldErrors& errors) {
  if (object["nodeTopology"]) {
    api::validate_label_selector(object["nodeTopology"], api::Path("nodeTopology"), errors);
  }
  const std::string_view name = object["storageClassName"].text();
  errors.invalid_each(api::Path("storageClassName"), name, api::check_dns1123_subdomain(name));
  const auto capacity = api::Quantity::parse(object["capacity"].text());
  if (capacity.ok() && capacity->sign() < 0) {
    errors.invalid(api::Path("capacity"), object["capacity"], "must be greater than or equal to 0");
  }
}

// The query is immutable; only the reported capacity changes.
void validate_update(View object, View old, api::FieldErrors& errors) {
  for (const std::string_view field : {"nodeTopology", "storageClassName"}) {
    api::validate_immutable(object[field], old[field], api::Path(field), errors);
  }
}

void warn(View object, View, Warnings& warnings) {
  const View selector = object["nodeTopology"];
  warn_about_node_labels(selector, api::Path("nodeTopology"), warnings);
  for (const json::Member& label : selector["matchLabels"].members()) {
    const std::string_view advice = deprecated_node_label(label.key);
    if (advice.empty()) continue;
    warnings.push_back(fmt::format("nodeTopology.matchLabels.{}: {}", label.key, advice));
  }
}

}  // namespace csi_storage_capacity

KindRules csi_storage_capacity_rules() {
  return {.kind = "storage.k8s.io/v1/CSIStorageCapacity",
          .metadata = {.update = "MU"},
          .validate = csi_storage_capacity::validate,
          .validate_update = csi_storage_capacity::validate_update,
          .warn = csi_storage_capacity::warn};
}

}  // namespace proa::kinds
