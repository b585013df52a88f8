#include "kinds/core/volumes/persistent_volume.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/validation/metadata.h"
#include "base/strings.h"
#include "json/print.h"
#include "kinds/checks/difference.h"
#include "kinds/checks/fields.h"
#include "kinds/core/placement/node_labels.h"
#include "kinds/core/placement/node_selector_validation.h"
#include "kinds/core/resources/validation.h"
#include "kinds/core/volumes/volume_common.h"
#include "kinds/core/volumes/volume_source.h"

namespace proa::kinds {

namespace persistent_volume {

using api::FieldErrors;
using api::Path;

constexpr std::string_view kMountOptions = "volume.beta.kubernetes.io/mount-options";

constexpr Column kColumns[] = {
    {.name = "Name", .format = "name"},
    {.name = "Capacity"},
    {.name = "Access Modes"},
    {.name = "Reclaim Policy"},
    {.name = "Status"},
    {.name = "Claim"},
    {.name = "StorageClass"},
    {.name = "VolumeAttributesClass"},
    {.name = "Reason"},
    {.name = "Age"},
    {.name = "VolumeMode", .priority = 1},
};

void row(View object, Cells& cells) {
  const View spec = object["spec"];
  const View claim = spec["claimRef"];
  const bool is_going = object["metadata"]["deletionTimestamp"].exists();
  cells.text(object["metadata"]["name"].text());
  cells.text(spec["capacity"]["storage"].text("0"));
  cells.text(format_access_modes(spec["accessModes"]));
  cells.text(spec["persistentVolumeReclaimPolicy"].text());
  cells.text(is_going ? "Terminating" : object["status"]["phase"].text());
  cells.text(claim ? fmt::format("{}/{}", claim["namespace"].text(), claim["name"].text()) : "");
  cells.text(storage_class_of(object));
  cells.text(spec["volumeAttributesClassName"].text("<unset>"));
  cells.text(object["status"]["reason"].text());
  cells.age(object["metadata"]["creationTimestamp"]);
  cells.text(spec["volumeMode"].text("<unset>"));
}

void prepare_create(api::Edit object, const Writer& writer) {
  const api::Edit status = object.object("status");
  status.set("phase", "Pending");
  status.set("lastPhaseTransitionTime", format_time(writer.now));
}

void prepare_status_update(api::Edit object, View old, const Writer& writer) {
  constexpr std::string_view kChanged = "lastPhaseTransitionTime";
  const api::Edit status = object.object("status");
  const View before = old["status"];
  if (status["phase"].text() == before["phase"].text()) {
    if (!status[kChanged]) status.copy(kChanged, before[kChanged]);
  } else if (!status[kChanged] || status[kChanged] == before[kChanged]) {
    status.set(kChanged, format_time(writer.now));
  }
}

void validate_class(View name, const Path& path, FieldErrors& errors) {
  check_text(name, api::check_dns1123_subdomain, path, errors);
}

void validate_capacity(View capacity, const Path& path, FieldErrors& errors) {
  if (capacity.empty()) errors.required(path);
  if (!capacity["storage"] || capacity.size() > 1) {
    errors.not_supported(path, capacity, {"storage"});
  }
  for (const json::Member& member : capacity.members()) {
    validate_positive_quantity(member.value, path.key(member.key), errors);
  }
}

// "/", "//", "/a/.." and the like.
bool is_root_folder(std::string_view folder) {
  if (!folder.starts_with('/')) return false;
  int depth = 0;
  for (const std::string_view part : split(folder, '/')) {
    if (part.empty() || part == ".") continue;
    depth = part == ".." ? std::max(depth - 1, 0) : depth + 1;
  }
  return depth == 0;
}

// Fields that only a PersistentVolume may have.
void validate_inline_limits(View spec, const Path& path, FieldErrors& errors) {
  constexpr std::string_view kNotInline = "may not be specified in the context of inline volumes";
  for (const std::string_view name : {"claimRef", "nodeAffinity"}) {
    if (spec[name]) errors.forbidden(path.field(name), kNotInline);
  }
  if (!spec["capacity"].empty()) errors.forbidden(path.field("capacity"), kNotInline);
  if (!spec["csi"]) {
    errors.required(path.field("csi"), "has to be specified in the context of inline volumes");
  }
  const std::string_view policy = spec["persistentVolumeReclaimPolicy"].text();
  if (!policy.empty() && policy != "Retain") {
    errors.forbidden(path.field("persistentVolumeReclaimPolicy"),
                     "may only be Retain in the context of inline volumes");
  }
  if (!spec["storageClassName"].text().empty()) {
    errors.forbidden(path.field("storageClassName"), kNotInline);
  }
  if (spec["volumeMode"] && spec["volumeMode"].text() != "Filesystem") {
    errors.forbidden(path.field("volumeMode"),
                     "may not specify volumeMode other than Filesystem in the context of inline "
                     "volumes");
  }
}

void validate_own_fields(View spec, const Path& path, FieldErrors& errors) {
  validate_capacity(spec["capacity"], path.field("capacity"), errors);
  const std::string_view policy = spec["persistentVolumeReclaimPolicy"].text();
  const Path policy_path = path.field("persistentVolumeReclaimPolicy");
  if (!policy.empty()) {
    check_one_of(spec["persistentVolumeReclaimPolicy"], {"Delete", "Recycle", "Retain"},
                 policy_path, errors);
  }
  if (policy == "Recycle" && is_root_folder(spec["hostPath"]["path"].text())) {
    errors.forbidden(policy_path, "may not be 'recycle' for a hostPath mount of '/'");
  }
  if (!spec["storageClassName"].text().empty()) {
    validate_class(spec["storageClassName"], path.field("storageClassName"), errors);
  }
  check_one_of(spec["volumeMode"], {"Block", "Filesystem"}, path.field("volumeMode"), errors);
  const View affinity = spec["nodeAffinity"];
  if (!affinity) return;
  const Path affinity_path = path.field("nodeAffinity");
  const Path required = affinity_path.field("required");
  if (affinity["required"]) {
    pods::validate_node_selector(affinity["required"], required, errors);
  } else {
    errors.required(required, "must specify required node constraints");
  }
}

void validate_attributes_class(View spec, const Path& path, FieldErrors& errors) {
  const View name = spec["volumeAttributesClassName"];
  if (!name) return;
  const Path name_path = path.field("volumeAttributesClassName");
  if (name.text().empty()) {
    errors.required(name_path, "an empty string is disallowed");
  } else {
    validate_class(name, name_path, errors);
  }
  if (!spec["csi"]) {
    errors.required(path.field("csi"), "has to be specified when using volumeAttributesClassName");
  }
}

void validate_mount_options(View object, FieldErrors& errors) {
  if (!object.at("metadata.annotations")[kMountOptions]) return;
  for (const std::string_view name :
       {"gcePersistentDisk", "awsElasticBlockStore", "glusterfs", "nfs", "rbd", "quobyte", "iscsi",
        "cinder", "cephfs", "azureFile", "vsphereVolume", "azureDisk", "photonPersistentDisk"}) {
    if (object["spec"][name]) return;
  }
  const Path annotations("metadata.annotations");
  errors.forbidden(annotations.field(kMountOptions),
                   "may not specify mount options for this volume type");
}

void validate(View object, FieldErrors& errors) {
  validate_volume_spec(object["spec"], object["metadata"]["name"].text(), VolumeSpecUse::kVolume,
                       Path("spec"), errors);
  validate_mount_options(object, errors);
}

constexpr std::string_view kMayCome = "controllerExpandSecretRef";

// Immutable, except that a missing secret reference may be added.
bool same_source(View source, View old, std::string_view name) {
  if (source == old) return true;
  if (name != "csi" || !source || !old || old[kMayCome] || !source[kMayCome]) return false;
  const auto same = [](View from, View in) {
    const auto members = from.members();
    return std::all_of(members.begin(), members.end(), [&](const json::Member& member) {
      return member.key == kMayCome || in[member.key] == View(member.value);
    });
  };
  return same(source, old) && same(old, source);
}

constexpr std::pair<std::string_view, std::string_view> kLabelsThatGotNewNames[] = {
    {"failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"},
    {"failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"},
    {"beta.kubernetes.io/os", "kubernetes.io/os"},
    {"beta.kubernetes.io/arch", "kubernetes.io/arch"},
    {"beta.kubernetes.io/instance-type", "node.kubernetes.io/instance-type"},
};

bool same_key(std::string_view key, std::string_view old) {
  return key == old ||
         std::find(std::begin(kLabelsThatGotNewNames), std::end(kLabelsThatGotNewNames),
                   std::pair(old, key)) != std::end(kLabelsThatGotNewNames);
}

// Deprecated label keys of requirements may be replaced by their new names.
bool same_affinity(View value, View old) {
  if (value == old) return true;
  if (value.size() != old.size() || value.size() == 0) return false;
  if (value.is(json::Kind::kArray) && old.is(json::Kind::kArray)) {
    for (size_t i = 0; i < value.size(); ++i) {
      if (!same_affinity(value.item(i), old.item(i))) return false;
    }
    return true;
  }
  const auto members = value.members();
  return !members.empty() &&
         std::all_of(members.begin(), members.end(), [&](const json::Member& member) {
           if (member.key == "key") return same_key(View(member.value).text(), old["key"].text());
           return same_affinity(member.value, old[member.key]);
         });
}

void validate_update(View object, View old, FieldErrors& errors) {
  const View spec = object["spec"];
  const View before = old["spec"];
  const auto names = volume_source_names();
  const bool same = std::all_of(names.begin(), names.end(), [&](std::string_view name) {
    return same_source(spec[name], before[name], name);
  });
  if (!same) {
    errors.forbidden(Path("spec.persistentvolumesource"),
                     "spec.persistentvolumesource is immutable after creation\n" +
                         describe_difference(before, spec, "PersistentVolumeSpec", names));
  }
  api::validate_immutable(spec["volumeMode"], before["volumeMode"], Path("volumeMode"), errors);
  if (before["nodeAffinity"] && !same_affinity(spec["nodeAffinity"], before["nodeAffinity"])) {
    errors.invalid(Path("nodeAffinity"), spec["nodeAffinity"],
                   "field is immutable, except for updating from beta label to GA");
  }
  if (before["volumeAttributesClassName"] && !spec["volumeAttributesClassName"]) {
    errors.forbidden(Path("spec.volumeAttributesClassName"),
                     "update from non-nil value to nil is forbidden");
  }
}

struct Deprecation {
  std::string_view name;
  std::string_view shown;
  std::string_view since;
};

constexpr Deprecation kDeprecatedSources[] = {
    {"cephfs", "spec.cephfs", "deprecated in v1.28, non-functional in v1.31+"},
    {"photonPersistentDisk", "spec.photonPersistentDisk",
     "deprecated in v1.11, non-functional in v1.16+"},
    {"scaleIO", "spec.scaleIO", "deprecated in v1.16, non-functional in v1.22+"},
    {"storageos", "spec.storageOS", "deprecated in v1.22, non-functional in v1.25+"},
    {"glusterfs", "spec.glusterfs", "deprecated in v1.25, non-functional in v1.26+"},
    {"rbd", "spec.rbd", "deprecated in v1.28, non-functional in v1.31+"},
};

void warn(View object, View, Warnings& warnings) {
  const View annotations = object.at("metadata.annotations");
  const View spec = object["spec"];
  if (annotations[kStorageClassAnnotation]) {
    warnings.emplace_back(
        fmt::format("metadata.annotations[{}]: deprecated since v1.8; use \"storageClassName\" "
                    "attribute instead",
                    kStorageClassAnnotation));
  }
  if (annotations[kMountOptions]) {
    warnings.emplace_back(fmt::format(
        "metadata.annotations[{}]: deprecated since v1.31; use \"mountOptions\" attribute instead",
        kMountOptions));
  }
  if (spec["persistentVolumeReclaimPolicy"].text() == "Recycle") {
    warnings.emplace_back(
        "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, "
        "the recommended approach is to use dynamic provisioning.");
  }
  const Path terms("spec.nodeAffinity.required.nodeSelectorTerms");
  each(spec.at("nodeAffinity.required.nodeSelectorTerms"), terms,
       [&](View term, const Path& item) { warn_about_node_labels(term, item, warnings); });
  for (const Deprecation& source : kDeprecatedSources) {
    if (!spec[source.name]) continue;
    warnings.emplace_back(fmt::format("{}: {}", source.shown, source.since));
  }
}

void default_persistent_volume(api::Edit volume) {
  const api::Edit spec = volume.object("spec");
  if (spec["persistentVolumeReclaimPolicy"].text().empty()) {
    spec.set("persistentVolumeReclaimPolicy", "Retain");
  }
  spec.set_default("volumeMode", "Filesystem");
}

constexpr TypeDefaults kDefaults[] = {{"v1/PersistentVolume", default_persistent_volume}};

}  // namespace persistent_volume

void validate_volume_spec(View spec, std::string_view volume_name, VolumeSpecUse use,
                          const api::Path& path, api::FieldErrors& errors) {
  if (use == VolumeSpecUse::kInline) {
    persistent_volume::validate_inline_limits(spec, path, errors);
  }
  validate_access_modes(spec["accessModes"], "", path.field("accessModes"), errors);
  if (use == VolumeSpecUse::kVolume) persistent_volume::validate_own_fields(spec, path, errors);
  validate_volume_source(spec, volume_name, path, errors);
  persistent_volume::validate_attributes_class(spec, path, errors);
}

KindRules persistent_volume_rules() {
  return {.kind = "v1/PersistentVolume",
          .metadata = {.update = "MM"},
          .defaults = persistent_volume::kDefaults,
          .prepare_create = persistent_volume::prepare_create,
          .prepare_status_update = persistent_volume::prepare_status_update,
          .validate = persistent_volume::validate,
          .validate_update = persistent_volume::validate_update,
          .validate_again = persistent_volume::validate,
          .warn = persistent_volume::warn,
          .columns = persistent_volume::kColumns,
          .row = persistent_volume::row};
}

}  // namespace proa::kinds
