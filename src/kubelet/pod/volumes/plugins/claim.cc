#include "kubelet/pod/volumes/plugins/claim.h"

#include <fmt/format.h>

#include <algorithm>

#include "kinds/core/placement/node_selector.h"
#include "kinds/core/volumes/local_path.h"
#include "kinds/core/volumes/volume_facts.h"

namespace proa::kubelet {
namespace claim {

constexpr std::string_view kProtection = "kubernetes.io/pvc-protection";

bool has_finalizer(api::View metadata, std::string_view name) {
  const auto finalizers = metadata["finalizers"].items();
  return std::any_of(finalizers.begin(), finalizers.end(),
                     [name](api::View one) { return one.text() == name; });
}

Status not_found(std::string_view resource, std::string_view name) {
  return {Reason::kNotFound, fmt::format("{} \"{}\" not found", resource, name)};
}

Result<json::Document> get(ObjectSource& objects, std::string_view resource,
                           std::string_view name_space, std::string_view name) {
  const Result<api::ObjectPtr> object = objects.get("", resource, name_space, name);
  if (object.is(Reason::kNotFound)) return not_found(resource, name);
  if (!object.ok()) return object.status();
  return (*object)->document();
}

Result<json::Document> get_claim(ObjectSource& objects, const Pod& pod, std::string_view name) {
  Result<json::Document> claim = get(objects, "persistentvolumeclaims", pod.name_space(), name);
  if (!claim.ok()) return claim.status().in("failed to fetch PVC from API server");
  const api::View root(claim->root());
  // One that is protected stays until its last pod is gone; this one may be it.
  if (root["metadata"]["deletionTimestamp"] && !has_finalizer(root["metadata"], kProtection)) {
    return Status(Reason::kConflict, "PVC is being deleted");
  }
  if (root["status"]["phase"].text() != "Bound") {
    return Status(Reason::kServiceUnavailable, "PVC is not bound");
  }
  if (root["spec"]["volumeName"].text().empty()) {
    return Status(Reason::kServiceUnavailable, "PVC has empty pvc.Spec.VolumeName");
  }
  return claim;
}

Result<json::Document> get_volume(ObjectSource& objects, std::string_view name,
                                  api::UidView claim_uid) {
  Result<json::Document> volume = get(objects, "persistentvolumes", "", name);
  if (!volume.ok()) {
    return volume.status().in(fmt::format("failed to fetch PV {} from API server", name));
  }
  const api::View reference = api::View(volume->root())["spec"]["claimRef"];
  if (!reference) {
    return Status(Reason::kConflict,
                  fmt::format("found PV object {} but it has a nil pv.Spec.ClaimRef indicating it "
                              "is not yet bound to the claim",
                              name));
  }
  if (claim_uid != reference["uid"].text()) {
    return Status(Reason::kConflict,
                  fmt::format("found PV object {} but its pv.Spec.ClaimRef.UID {} does not point "
                              "to claim.UID {}",
                              name, reference["uid"].text(), claim_uid.view()));
  }
  return volume;
}

bool is_controlled_by(api::View object, api::UidView uid) {
  const auto owners = object["metadata"]["ownerReferences"].items();
  return std::any_of(owners.begin(), owners.end(), [uid](api::View owner) {
    return owner["controller"].flag() && uid == owner["uid"].text();
  });
}

// How the pod's containers use a volume must be how it is meant.
Result<void> check_mode(const Pod& pod, std::string_view name, std::string_view mode) {
  for (const ContainerSpec& container : containers_of(pod)) {
    const auto uses = [&](const char* list) {
      const auto items = container.view[list].items();
      return std::any_of(items.begin(), items.end(),
                         [name](api::View one) { return one["name"].text() == name; });
    };
    for (const char* list : {"volumeMounts", "volumeDevices"}) {
      const bool device = std::string_view(list) == "volumeDevices";
      if (uses(list) && (mode == "Block") != device) {
        return Status(
            Reason::kInvalid,
            fmt::format("volume {} has volumeMode {}, but is specified in {}", name, mode, list));
      }
    }
  }
  return {};
}

}  // namespace claim

bool is_claim(api::View volume) {
  return volume["persistentVolumeClaim"].exists() || volume["ephemeral"].exists();
}

Result<ClaimedVolume> find_claimed_volume(ObjectSource& objects, const Pod& pod, api::View volume) {
  const api::View source = volume["persistentVolumeClaim"];
  const std::string_view own_name = volume["name"].text();
  const std::string name =
      source ? std::string(source["claimName"].text()) : fmt::format("{}-{}", pod.name(), own_name);
  const std::string where = fmt::format("error processing PVC {}/{}", pod.name_space(), name);
  const Result<json::Document> found = claim::get_claim(objects, pod, name);
  if (!found.ok()) return found.status().in(where);
  const api::View root(found->root());
  if (!source && !claim::is_controlled_by(root, api::UidView(pod.metadata()["uid"].text()))) {
    return Status(Reason::kForbidden,
                  fmt::format("PVC {}/{} was not created for pod {}/{} (pod is not owner)",
                              pod.name_space(), name, pod.name_space(), pod.name()));
  }
  const std::string_view volume_name = root["spec"]["volumeName"].text();
  Result<json::Document> document =
      claim::get_volume(objects, volume_name, api::UidView(root["metadata"]["uid"].text()));
  if (!document.ok()) return document.status().in(where);
  ClaimedVolume claimed{.name = std::string(volume_name),
                        .document = std::move(*document),
                        .read_only = source["readOnly"].flag(),
                        .as_device = false,
                        .creates_folder = false};
  const std::string_view mode = claimed.spec()["volumeMode"].text("Filesystem");
  TRY(claim::check_mode(pod, own_name, mode));
  claimed.as_device = mode == "Block";
  const api::View annotations = api::View(claimed.document.root())["metadata"]["annotations"];
  claimed.creates_folder = annotations[kinds::kProvisionedBy].text() == kinds::kLocalPath;
  return claimed;
}

Result<void> check_node_affinity(const ClaimedVolume& volume, const api::Object& node) {
  const api::View required = volume.spec()["nodeAffinity"]["required"];
  if (!required || kinds::pods::NodeSelector(required).matches(node.metadata())) return {};
  return Status(Reason::kConflict, "no matching NodeSelectorTerms");
}

}  // namespace proa::kubelet
