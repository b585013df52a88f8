#include "scheduler/plugins/volumes/pod_volumes.h"

#include <algorithm>

namespace proa::scheduler {
namespace pod_volumes {

using api::View;
using Kind = PodVolume::Kind;

struct Volumes {
  std::vector<PodVolume> all = {};
};

Volumes read(const api::Object& pod) {
  Volumes volumes;
  const Result<json::Document> document = pod.document();
  if (!document) return volumes;
  for (const View volume : View(document->root())["spec"]["volumes"].items()) {
    PodVolume read;
    if (const View claim = volume["persistentVolumeClaim"]; claim.exists()) {
      read.name = claim["claimName"].text();
    } else if (volume["ephemeral"].exists()) {
      read.kind = Kind::kEphemeral;
      read.name = std::string(pod.metadata().name) + "-" + std::string(volume["name"].text());
    } else if (const View csi = volume["csi"]; csi.exists()) {
      read.kind = Kind::kCsi;
      read.name = csi["driver"].text();
    } else if (const InTreePlugin* plugin = in_tree_plugin_of(volume)) {
      read.kind = Kind::kInTree;
      read.in_tree = plugin;
      read.handle = csi_handle(*plugin, volume);
    } else {
      continue;
    }
    volumes.all.push_back(std::move(read));
  }
  return volumes;
}

std::string quoted(std::string_view text) { return "\"" + std::string(text) + "\""; }

}  // namespace pod_volumes

const std::vector<PodVolume>& volumes_of(const Pod& pod) {
  static const std::vector<PodVolume> kNone;
  if (!pod.shape->has_volumes_of_its_own) return kNone;
  return pod.object->kept<pod_volumes::Volumes>([&] { return pod_volumes::read(*pod.object); }).all;
}

bool uses_claim(const Pod& pod, const api::Object& claim, bool ephemeral_too) {
  if (pod.name_space() != claim.metadata().name_space) return false;
  const std::vector<PodVolume>& volumes = volumes_of(pod);
  return std::any_of(volumes.begin(), volumes.end(), [&](const PodVolume& volume) {
    const bool counts = ephemeral_too ? volume.has_claim() : volume.kind == PodVolume::Kind::kClaim;
    return counts && volume.name == claim.metadata().name;
  });
}

Result<api::ObjectPtr> find_claim(const client::Cache& claims, const Pod& pod,
                                  const PodVolume& volume) {
  api::ObjectPtr claim = claims.get({std::string(pod.name_space()), volume.name});
  if (claim == nullptr) return not_found("persistentvolumeclaim", volume.name);
  return claim;
}

Result<void> check_owner(const Pod& pod, const PodVolume& volume, const api::Object& claim) {
  if (volume.kind != PodVolume::Kind::kEphemeral) return {};
  for (const api::Metadata::Owner& owner : claim.metadata().owners) {
    if (owner.controller && pod.uid() == owner.uid) return {};
  }
  const std::string name_space(pod.name_space());
  return Status(Reason::kUnknown, "PVC " + name_space + "/" + volume.name +
                                      " was not created for pod " + name_space + "/" +
                                      std::string(pod.name()) + " (pod is not owner)");
}

Status not_found(std::string_view what, std::string_view name) {
  return {Reason::kNotFound, std::string(what) + " " + pod_volumes::quoted(name) + " not found"};
}

}  // namespace proa::scheduler
