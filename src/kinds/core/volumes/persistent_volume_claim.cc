#include "kinds/core/volumes/persistent_volume_claim.h"

#include <fmt/format.h>

#include "api/validation/metadata.h"
#include "kinds/checks/fields.h"
#include "kinds/core/resources/validation.h"
#include "kinds/core/volumes/claim_update.h"
#include "kinds/core/volumes/volume_common.h"

namespace proa::kinds {

namespace persistent_volume_claim {

using api::FieldErrors;
using api::Path;

constexpr Column kColumns[] = {
    {.name = "Name", .format = "name"},
    {.name = "Status"},
    {.name = "Volume"},
    {.name = "Capacity"},
    {.name = "Access Modes"},
    {.name = "StorageClass"},
    {.name = "VolumeAttributesClass"},
    {.name = "Age"},
    {.name = "VolumeMode", .priority = 1},
};

void row(View object, Cells& cells) {
  const View spec = object["spec"];
  const View status = object["status"];
  const bool is_bound = !spec["volumeName"].text().empty();
  const bool is_going = object["metadata"]["deletionTimestamp"].exists();
  cells.text(object["metadata"]["name"].text());
  cells.text(is_going ? "Terminating" : status["phase"].text());
  cells.text(spec["volumeName"].text());
  cells.text(is_bound ? status["capacity"]["storage"].text("0") : "");
  cells.text(is_bound ? format_access_modes(status["accessModes"]) : "");
  cells.text(storage_class_of(object));
  cells.text(spec["volumeAttributesClassName"].text("<unset>"));
  cells.age(object["metadata"]["creationTimestamp"]);
  cells.text(spec["volumeMode"].text("<unset>"));
}

void prepare_create(api::Edit object, const Writer&) {
  object.object("status").set("phase", "Pending");
  align_data_sources(object.object("spec"), View());
}

void prepare_update(api::Edit object, View old, const Writer&) {
  align_data_sources(object.object("spec"), old["spec"]);
}

bool may_be_data_source(View source) {
  const std::string_view group = source["apiGroup"].text();
  const std::string_view kind = source["kind"].text();
  return (kind == "PersistentVolumeClaim" && group.empty()) ||
         (kind == "VolumeSnapshot" && group == "snapshot.storage.k8s.io");
}

void copy_reference(api::Edit spec, std::string_view to, View from) {
  json::Value reference = json::Value::object();
  for (const std::string_view name : {"apiGroup", "kind", "name"}) {
    if (!from[name]) continue;
    reference.set(spec.arena(), name, from[name].value()->copy(spec.arena()));
  }
  spec.set(to, std::move(reference));
}

void validate_reference(View source, const Path& path, FieldErrors& errors) {
  require_text(source, "name", path, errors);
  require_text(source, "kind", path, errors);
  const std::string_view group = source["apiGroup"].text();
  const std::string_view kind = source["kind"].text();
  if (group.empty() && kind != "PersistentVolumeClaim") {
    errors.invalid(path, kind,
                   "must be 'PersistentVolumeClaim' when referencing the default apiGroup");
  }
  if (!group.empty()) {
    errors.invalid_each(path.field("apiGroup"), group, api::check_dns1123_subdomain(group));
  }
}

void validate_data_sources(View spec, const Path& path, FieldErrors& errors) {
  const View source = spec["dataSource"];
  const View reference = spec["dataSourceRef"];
  const Path reference_path = path.field("dataSourceRef");
  const std::string_view space = reference["namespace"].text();
  if (source) validate_reference(source, path.field("dataSource"), errors);
  if (reference) validate_reference(reference, reference_path, errors);
  if (!space.empty()) {
    errors.invalid_each(reference_path.field("namespace"), space, api::check_dns1123_label(space));
  }
  if (!source || !reference) return;
  if (!space.empty()) {
    // Upstream shows the path of the field as the value, and it has no fields to show.
    errors.invalid_whole(path,
                         "{}: may not be specified when dataSourceRef.namespace is specified");
  } else if (source["apiGroup"] != reference["apiGroup"] || source["kind"] != reference["kind"] ||
             source["name"] != reference["name"]) {
    errors.invalid_whole(path, "{}: must match dataSourceRef");
  }
}

void validate(View object, FieldErrors& errors) {
  validate_claim_spec(object["spec"], Path("spec"), errors);
}

void warn(View object, View, Warnings& warnings) {
  if (object.at("metadata.annotations")[kStorageClassAnnotation]) {
    warnings.emplace_back(
        fmt::format("metadata.annotations[{}]: deprecated since v1.8; use \"storageClassName\" "
                    "attribute instead",
                    kStorageClassAnnotation));
  }
  warn_about_claim_spec(object["spec"], Path("spec"), warnings);
}

}  // namespace persistent_volume_claim

void validate_claim_spec(View spec, const api::Path& path, api::FieldErrors& errors) {
  validate_access_modes(spec["accessModes"], "at least 1 access mode is required",
                        path.field("accessModes"), errors);
  if (spec["selector"]) {
    api::validate_label_selector(spec["selector"], path.field("selector"), errors);
  }
  const View size = spec["resources"]["requests"]["storage"];
  const api::Path resources = path.field("resources");
  if (!size) {
    errors.required(resources.key("storage"));
  } else {
    validate_positive_quantity(size, resources.key("storage"), errors);
  }
  for (const std::string_view name : {"storageClassName", "volumeAttributesClassName"}) {
    if (spec[name].text().empty()) continue;
    check_text(spec[name], api::check_dns1123_subdomain, path.field(name), errors);
  }
  check_one_of(spec["volumeMode"], {"Block", "Filesystem"}, path.field("volumeMode"), errors);
  persistent_volume_claim::validate_data_sources(spec, path, errors);
}

void warn_about_claim_spec(View spec, const api::Path& path, Warnings& warnings) {
  const api::Path resources = path.field("resources");
  for (const std::string_view name : {"requests", "limits"}) {
    const api::Quantity quantity = quantity_of(spec["resources"][name]["storage"]);
    if (quantity.milli_value() % 1000 == 0) continue;
    const api::Path list = resources.field(name);
    warnings.emplace_back(
        fmt::format("{}: fractional byte value \"{}\" is invalid, must be an integer",
                    list.key("storage").str(), quantity.str()));
  }
}

void align_data_sources(api::Edit spec, View old) {
  const bool was_used = old["dataSource"] || old["dataSourceRef"];
  // The gate CrossNamespaceVolumeDataSource is off.
  if (!spec["dataSourceRef"]["namespace"].text().empty() && !old["dataSourceRef"]) {
    spec.remove("dataSourceRef");
  }
  // The field formerly accepted and ignored unknown kinds.
  if (!was_used && !spec["dataSourceRef"] &&
      !persistent_volume_claim::may_be_data_source(spec["dataSource"])) {
    spec.remove("dataSource");
  }
  if (spec["dataSource"] && !spec["dataSourceRef"]) {
    persistent_volume_claim::copy_reference(spec, "dataSourceRef", spec["dataSource"]);
  } else if (spec["dataSourceRef"] && !spec["dataSource"] &&
             spec["dataSourceRef"]["namespace"].text().empty()) {
    persistent_volume_claim::copy_reference(spec, "dataSource", spec["dataSourceRef"]);
  }
}

KindRules persistent_volume_claim_rules() {
  return {.kind = "v1/PersistentVolumeClaim",
          .metadata = {.update = "UM"},
          .prepare_create = persistent_volume_claim::prepare_create,
          .prepare_update = persistent_volume_claim::prepare_update,
          .validate = persistent_volume_claim::validate,
          .validate_update = validate_claim_update,
          .validate_status_update = validate_claim_status_update,
          .warn = persistent_volume_claim::warn,
          .columns = persistent_volume_claim::kColumns,
          .row = persistent_volume_claim::row};
}

}  // namespace proa::kinds
