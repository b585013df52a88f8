#include "kinds/core/volumes/volume_source.h"

#include "kinds/checks/drivers.h"
#include "kinds/checks/fields.h"
#include "kinds/core/volumes/disks.h"

namespace proa::kinds {

namespace volume_source {

using api::FieldErrors;
using api::Path;

// In upstream's order: the second one found is reported.
constexpr std::string_view kNames[] = {
    "hostPath",
    "gcePersistentDisk",
    "awsElasticBlockStore",
    "glusterfs",
    "flocker",
    "nfs",
    "rbd",
    "quobyte",
    "cephfs",
    "iscsi",
    "cinder",
    "fc",
    "flexVolume",
    "azureFile",
    "vsphereVolume",
    "photonPersistentDisk",
    "portworxVolume",
    "azureDisk",
    "scaleIO",
    "local",
    "storageos",
    "csi",
};

void validate_local(View spec, const Path& path, FieldErrors& errors) {
  const View source = spec["local"];
  const Path source_path = path.field("local");
  if (require_text(source, "path", source_path, errors)) {
    check_no_backsteps(source["path"], source_path.field("path"), errors);
  }
  if (!spec["nodeAffinity"]) {
    errors.required(path.field("nodeAffinity"), "Local volume requires node affinity");
  }
}

void validate_csi(View source, const Path& path, FieldErrors& errors) {
  validate_driver_name(source["driver"], path.field("driver"), errors);
  require_text(source, "volumeHandle", path, errors);
  for (const std::string_view name : {"controllerPublishSecretRef", "controllerExpandSecretRef",
                                      "nodePublishSecretRef", "nodeExpandSecretRef"}) {
    const View secret = source[name];
    if (!secret) continue;
    const Path secret_path = path.field(name);
    if (require_text(secret, "name", secret_path, errors)) {
      check_text(secret["name"], api::check_dns1123_subdomain, secret_path.field("name"), errors);
    }
    if (require_text(secret, "namespace", secret_path, errors)) {
      check_text(secret["namespace"], api::check_dns1123_label, secret_path.field("namespace"),
                 errors);
    }
  }
}

void validate_iscsi(View source, std::string_view volume_name, const Path& path,
                    FieldErrors& errors) {
  const std::string_view portal = source["targetPortal"].text();
  if (source["initiatorName"] && volume_name.size() + 1 + portal.size() > 64) {
    errors.invalid(path.field("targetportal"), portal,
                   "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters "
                   "if iscsi.initiatorName is specified.");
  }
  if (source["secretRef"]) {
    const Path secret = path.field("secretRef");
    require_text(source["secretRef"], "name", secret, errors);
  }
}

void validate_glusterfs(View source, const Path& path, FieldErrors& errors) {
  const View name = source["endpointsNamespace"];
  const Path name_path = path.field("endpointsNamespace");
  if (!name) return;
  if (name.text().empty()) {
    return errors.invalid(name_path, name,
                          "if the endpointnamespace is set, it must be a valid namespace name");
  }
  check_text(name, api::check_dns1123_label, name_path, errors);
}

// Volumes are cluster-scoped, so the secret's namespace is required.
void validate_secret_namespace(std::string_view name, View source, const Path& path,
                               FieldErrors& errors) {
  const Path secret = path.field("secretRef");
  if ((name == "cinder" || name == "storageos") && source["secretRef"]) {
    require_text(source["secretRef"], "namespace", secret, errors);
  }
  if (name == "azureFile" && source["secretNamespace"]) {
    require_text(source, "secretNamespace", path, errors);
  }
}

void validate(View spec, std::string_view name, std::string_view volume_name, const Path& path,
              FieldErrors& errors) {
  const Path source_path = path.field(name);
  const View source = spec[name];
  if (name == "local") return validate_local(spec, path, errors);
  if (name == "csi") return validate_csi(source, source_path, errors);
  pods::validate_disk(name, source, source_path, errors);
  validate_secret_namespace(name, source, source_path, errors);
  if (name == "iscsi") validate_iscsi(source, volume_name, source_path, errors);
  if (name == "glusterfs") validate_glusterfs(source, source_path, errors);
}

}  // namespace volume_source

std::span<const std::string_view> volume_source_names() { return volume_source::kNames; }

void validate_volume_source(View spec, std::string_view volume_name, const api::Path& path,
                            api::FieldErrors& errors) {
  bool found = false;
  for (const std::string_view name : volume_source::kNames) {
    if (!spec[name]) continue;
    if (found) {
      // Upstream's name, in this message only.
      const std::string_view shown = name == "cephfs" ? "cephFS" : name;
      errors.forbidden(path.field(shown), "may not specify more than 1 volume type");
      continue;
    }
    found = true;
    volume_source::validate(spec, name, volume_name, path, errors);
  }
  if (!found) errors.required(path, "must specify a volume type");
}

}  // namespace proa::kinds
