#pragma once

#include <functional>
#include <string>

#include "json/value.h"
#include "kubelet/model/object_source.h"
#include "kubelet/model/pod.h"

namespace proa::kubelet {

// The persistent volume that a pod's claim is bound to.
struct ClaimedVolume {
  std::string name = {};
  json::Document document = {};  // the PersistentVolume
  bool read_only = false;
  bool as_device = false;
  bool creates_folder = false;  // of local-path storage

  api::View spec() const { return api::View(document.root())["spec"]; }
};

// Whether a Volume of a pod refers to a claim: persistentVolumeClaim, or ephemeral (a claim of the
// pod's own, named POD-VOLUME).
bool is_claim(api::View volume);
// Gets the claim and its volume; they must be bound to each other, and an ephemeral claim must
// belong to the pod. Failures have upstream's words: "error processing PVC shop/data: PVC is not
// bound".
Result<ClaimedVolume> find_claimed_volume(ObjectSource& objects, const Pod& pod, api::View volume);

// Whether that node may use the volume (spec.nodeAffinity).
Result<void> check_node_affinity(const ClaimedVolume& volume, const api::Object& node);

}  // namespace proa::kubelet
