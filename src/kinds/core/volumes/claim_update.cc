#include "kinds/core/volumes/claim_update.h"

#include <set>
#include <string>

#include "api/validation/metadata.h"
#include "kinds/checks/difference.h"
#include "kinds/checks/fields.h"
#include "kinds/core/resources/resources.h"
#include "kinds/core/resources/validation.h"
#include "kinds/core/volumes/volume_common.h"

namespace proa::kinds {

namespace claim_update {

using api::FieldErrors;
using api::Path;

View class_annotation(View object) {
  return object.at("metadata.annotations")[kStorageClassAnnotation];
}

// The class moves from the annotation to the field unchanged.
bool moves_class(View object, View old) {
  const View before = class_annotation(old);
  const View now = class_annotation(object);
  const View name = object["spec"]["storageClassName"];
  return before && !old["spec"]["storageClassName"] && name && name == before &&
         (!now || now == before);
}

// An unbound claim without a class may get the default class later.
bool gains_class(View object, View old) {
  const View before = class_annotation(old);
  const View name = object["spec"]["storageClassName"];
  return name && !old["spec"]["storageClassName"] && (!before || name == before);
}

bool same_amounts(View list, View other, bool but_storage) {
  std::set<std::string_view> names;
  for (const json::Member& member : list.members()) names.insert(member.key);
  for (const json::Member& member : other.members()) names.insert(member.key);
  if (but_storage) names.erase("storage");
  for (const std::string_view name : names) {
    if (list[name].exists() != other[name].exists()) return false;
    if (quantity_of(list[name]) != quantity_of(other[name])) return false;
  }
  return true;
}

// A reference that the server filled in: what is stored has null for an absent group.
bool same_reference(View source, View old, View spec_before) {
  // If it was stored before both fields were synchronized, the other one has the same value.
  const View either =
      spec_before["dataSource"] ? spec_before["dataSource"] : spec_before["dataSourceRef"];
  const View other = old ? old : either;
  return other && source["apiGroup"] == other["apiGroup"] && source["kind"] == other["kind"] &&
         source["name"] == other["name"] && (!old || source["namespace"] == other["namespace"]);
}

bool may_change(View object, View old, std::string_view name) {
  const bool is_bound = object["status"]["phase"].text() == "Bound";
  const View value = object["spec"][name];
  const View before = old["spec"][name];
  if (name == "volumeName") return before.text().empty();
  if (name == "storageClassName") return moves_class(object, old) || gains_class(object, old);
  if (name == "volumeAttributesClassName") return is_bound;
  if (name == "resources") {
    return same_amounts(value["limits"], before["limits"], false) &&
           same_amounts(value["requests"], before["requests"],
                        is_bound && value["requests"].exists());
  }
  if (name == "dataSource" || name == "dataSourceRef") {
    return same_reference(value, before, old["spec"]);
  }
  return false;
}

void validate_spec(View object, View old, FieldErrors& errors) {
  std::set<std::string_view> names;
  for (const json::Member& member : object["spec"].members()) names.insert(member.key);
  for (const json::Member& member : old["spec"].members()) names.insert(member.key);
  for (const std::string_view name : names) {
    const View value = object["spec"][name];
    const View before = old["spec"][name];
    if (value == before || may_change(object, old, name)) continue;
    return errors.forbidden(
        Path("spec"),
        "spec is immutable after creation except resources.requests and "
        "volumeAttributesClassName for bound claims\n" +
            describe_difference(old["spec"], object["spec"], "PersistentVolumeClaimSpec"));
  }
}

void validate_size(View object, View old, FieldErrors& errors) {
  const auto size = quantity_of(object["spec"]["resources"]["requests"]["storage"]);
  if (size >= quantity_of(old["spec"]["resources"]["requests"]["storage"])) return;
  // After a failed expansion the request may shrink, but not below the capacity.
  if (size > quantity_of(old["status"]["capacity"]["storage"])) return;
  errors.forbidden(Path("spec.resources.requests.storage"),
                   "field can not be less than status.capacity");
}

void validate_attributes_class(View object, View old, FieldErrors& errors) {
  const View name = object["spec"]["volumeAttributesClassName"];
  if (name == old["spec"]["volumeAttributesClassName"]) return;
  if (!old["status"]["currentVolumeAttributesClassName"]) return;
  const Path path("spec.volumeAttributesClassName");
  if (!name) {
    errors.forbidden(path,
                     "update to nil is forbidden when status.currentVolumeAttributesClassName is "
                     "not nil");
  } else if (name.text().empty()) {
    errors.forbidden(path,
                     "update to empty string is forbidden when "
                     "status.currentVolumeAttributesClassName is not nil");
  }
}

// Whether the name is allowed in allocatedResources.
bool validate_resource_key(std::string_view name, const Path& path, FieldErrors& errors) {
  const auto problems = api::check_qualified_name(name);
  errors.invalid_each(path, name, problems);
  if (!problems.empty()) return false;
  if (!pods::is_native_resource(name) || name == "storage") return true;
  errors.not_supported(path, name, {"storage"});
  return false;
}

// Whether it is one.
bool validate_amount(View value, const Path& path, FieldErrors& errors) {
  const int64_t amount = quantity_of(value).value();
  if (amount < 0) errors.invalid(path, amount, "must be a valid resource quantity");
  return amount >= 0;
}

}  // namespace claim_update

void validate_claim_update(View object, View old, api::FieldErrors& errors) {
  if (!claim_update::moves_class(object, old)) {
    const std::string_view now = claim_update::class_annotation(object).text();
    if (now != claim_update::class_annotation(old).text()) {
      const api::Path annotations("metadata.annotations");
      errors.invalid(annotations.field(kStorageClassAnnotation), now, "field is immutable");
    }
  }
  claim_update::validate_spec(object, old, errors);
  claim_update::validate_size(object, old, errors);
  api::validate_immutable(object["spec"]["volumeMode"], old["spec"]["volumeMode"],
                          api::Path("volumeMode"), errors);
  claim_update::validate_attributes_class(object, old, errors);
}

void validate_claim_status_update(View object, View, api::FieldErrors& errors) {
  const View status = object["status"];
  if (object["spec"]["accessModes"].empty()) errors.required(api::Path("Spec.accessModes"));
  const api::Path capacity("status.capacity");
  for (const json::Member& member : status["capacity"].members()) {
    claim_update::validate_amount(member.value, capacity.key(member.key), errors);
  }
  const api::Path statuses("status.allocatedResourceStatuses");
  for (const json::Member& member : status["allocatedResourceStatuses"].members()) {
    claim_update::validate_resource_key(member.key, statuses, errors);
    if (!contains({"ControllerResizeInProgress", "ControllerResizeInfeasible", "NodeResizePending",
                   "NodeResizeInProgress", "NodeResizeInfeasible"},
                  View(member.value).text())) {
      errors.not_supported(statuses, member.key,
                           {"ControllerResizeInProgress", "ControllerResizeInfeasible",
                            "NodeResizeInProgress", "NodeResizeInfeasible", "NodeResizePending"});
    }
  }
  const api::Path allocated("status.allocatedResources");
  for (const json::Member& member : status["allocatedResources"].members()) {
    if (!claim_update::validate_resource_key(member.key, allocated, errors)) continue;
    claim_update::validate_amount(member.value, allocated.key(member.key), errors);
  }
}

}  // namespace proa::kinds
