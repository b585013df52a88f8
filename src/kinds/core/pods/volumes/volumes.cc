#include "kinds/core/pods/volumes/volumes.h"

#include <fmt/format.h>

#include <array>

#include "api/quantity.h"
#include "api/validation/go_text.h"
#include "api/validation/metadata.h"
#include "kinds/core/pods/volumes/files.h"
#include "kinds/core/volumes/disks.h"
#include "kinds/core/volumes/persistent_volume_claim.h"

namespace proa::kinds::pods {

namespace volumes {

// In upstream's order: the first one counts, the others are excess.
constexpr std::array<std::string_view, 30> kSources{"emptyDir",
                                                    "hostPath",
                                                    "gitRepo",
                                                    "gcePersistentDisk",
                                                    "awsElasticBlockStore",
                                                    "secret",
                                                    "nfs",
                                                    "iscsi",
                                                    "glusterfs",
                                                    "flocker",
                                                    "persistentVolumeClaim",
                                                    "rbd",
                                                    "cinder",
                                                    "cephfs",
                                                    "quobyte",
                                                    "downwardAPI",
                                                    "fc",
                                                    "flexVolume",
                                                    "configMap",
                                                    "azureFile",
                                                    "vsphereVolume",
                                                    "photonPersistentDisk",
                                                    "portworxVolume",
                                                    "azureDisk",
                                                    "storageos",
                                                    "projected",
                                                    "scaleIO",
                                                    "csi",
                                                    "ephemeral",
                                                    "image"};

void check_empty_dir(View source, const Path& path, FieldErrors& errors) {
  const auto limit = api::Quantity::parse(source["sizeLimit"].text("0"));
  if (limit.ok() && limit->sign() < 0) {
    errors.forbidden(path.field("sizeLimit"), "SizeLimit field must be a valid resource quantity");
  }
}

// The claim of an ephemeral volume may have labels and annotations, but no name.
void check_claim_template(View claim, const Path& path, FieldErrors& errors) {
  api::validate_template_metadata(claim["metadata"], path.field("metadata"), errors);
  validate_claim_spec(claim["spec"], path.field("spec"), errors);
}

// The name of the claim joins the names of pod and volume.
void check_ephemeral(View volume, const PodContext& pod, const Path& at, FieldErrors& errors) {
  const Path path = at.field("ephemeral");
  const View claim = volume["ephemeral"]["volumeClaimTemplate"];
  if (!claim.exists()) {
    errors.required(path.field("volumeClaimTemplate"));
  } else {
    check_claim_template(claim, path.field("volumeClaimTemplate"), errors);
  }
  const std::string_view pod_name = pod.metadata["name"].text();
  const std::string_view name = volume["name"].text();
  // The name of the pod, which may be invalid and very long, is part of every message.
  if (pod_name.empty() || name.empty() || errors.full()) return;
  const std::string claim_name = fmt::format("{}-{}", pod_name, name);
  for (const std::string& problem : api::check_dns1123_subdomain(claim_name)) {
    errors.invalid(at.field("name"), name,
                   fmt::format("PVC name {}: {}", api::quoted(claim_name), problem));
  }
}

void check_image(View source, const PodContext& pod, const Path& path, FieldErrors& errors) {
  if (pod.is_pod()) require_text(source, "reference", path, errors);
  require_one_of(source["pullPolicy"], {"Always", "IfNotPresent", "Never"},
                 path.field("pullPolicy"), errors);
}

void check_source(std::string_view kind, View volume, const PodContext& pod, const Path& at,
                  FieldErrors& errors) {
  const View source = volume[kind];
  const Path path = at.field(kind);
  if (kind == "emptyDir") return check_empty_dir(source, path, errors);
  if (kind == "ephemeral") return check_ephemeral(volume, pod, at, errors);
  if (kind == "image") return check_image(source, pod, path, errors);
  if (validate_file_volume(kind, source, path, errors)) return;
  validate_disk(kind, source, path, errors);
}

// Upstream's names in its messages about too many of them.
std::string_view name_in_excess(std::string_view kind) {
  if (kind == "downwardAPI") return "downwarAPI";
  return kind == "cephfs" ? "cephFS" : kind;
}

void check_volume(View volume, const PodContext& pod, const Path& at, FieldErrors& errors) {
  bool found = false;
  for (const std::string_view kind : kSources) {
    if (!volume[kind].exists()) continue;
    if (found) {
      errors.forbidden(at.field(name_in_excess(kind)), "may not specify more than 1 volume type");
    } else {
      check_source(kind, volume, pod, at, errors);
    }
    found = true;
  }
  if (!found) errors.required(at, "must specify a volume type");
  const View iscsi = volume["iscsi"];
  // One more for the colon: the iSCSI interface name joins both.
  if (iscsi["initiatorName"].exists() &&
      volume["name"].text().size() + 1 + iscsi["targetPortal"].text().size() > 64) {
    errors.invalid(at.field("name"), volume["name"].text(),
                   "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters "
                   "if iscsi.initiatorName is specified.");
  }
  if (require_text(volume, "name", at, errors))
    check_text(volume["name"], api::check_dns1123_label, at.field("name"), errors);
}

}  // namespace volumes

void validate_volumes(PodContext& pod, const Path& path, FieldErrors& errors) {
  std::set<std::string_view> ephemeral;
  const std::string claims_start = fmt::format("{}-", pod.metadata["name"].text());
  for (const View volume : pod.spec["volumes"].items()) {
    if (claims_start.size() > 1 && volume["ephemeral"].exists())
      ephemeral.insert(volume["name"].text());
  }
  each(pod.spec["volumes"], path, [&](View volume, const Path& at) {
    const size_t before = errors.size();
    const std::string_view name = volume["name"].text();
    volumes::check_volume(volume, pod, at, errors);
    if (pod.volumes.contains(name)) errors.duplicate(at.field("name"), name);
    if (errors.size() == before) pod.volumes.emplace(name, volume);
    const std::string_view claim = volume["persistentVolumeClaim"]["claimName"].text();
    if (claim.starts_with(claims_start) && ephemeral.contains(claim.substr(claims_start.size()))) {
      errors.invalid(at.field("persistentVolumeClaim.claimName"), claim,
                     "must not reference a PVC that gets created for an ephemeral volume");
    }
  });
}

}  // namespace proa::kinds::pods
