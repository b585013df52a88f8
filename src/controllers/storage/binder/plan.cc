#include "controllers/storage/binder/plan.h"

#include "base/strings.h"
#include "controllers/storage/binder/match.h"

namespace proa::controllers::storage {
namespace plan {

// Prefix of in-tree provisioners, which upstream has removed.
constexpr std::string_view kInTree = "kubernetes.io/";

std::string quoted(std::string_view text) { return "\"" + std::string(text) + "\""; }

ClaimPlan wait(Notice notice) { return {ClaimStep::kWait, std::move(notice)}; }

ClaimPlan plan_named(const kinds::ClaimFacts& claim, const kinds::VolumeFacts* volume) {
  if (volume == nullptr) return {ClaimStep::kWait};
  if (!volume->claim) {
    const std::string why = mismatch(*volume, claim);
    if (why.empty()) return {ClaimStep::kBind};
    return wait({true, "VolumeMismatch",
                 "Cannot bind to requested volume " + quoted(volume->name) + ": " + why});
  }
  if (kinds::is_bound_to(*volume, claim)) return {ClaimStep::kBind};
  return wait({true, "FailedBinding",
               "volume " + quoted(volume->name) + " already bound to a different claim."});
}

// The scheduler binds it or selects a node.
ClaimPlan wait_for_scheduler(const std::vector<std::string>& pods) {
  if (pods.empty()) {
    return wait(
        {false, "WaitForFirstConsumer", "waiting for first consumer to be created before binding"});
  }
  return wait({false, "WaitForPodScheduled",
               std::string(pods.size() > 1 ? "waiting for pods " : "waiting for pod ") +
                   join(pods, ",") + " to be scheduled"});
}

ClaimPlan plan_provisioning(const kinds::ClaimFacts& claim, const kinds::ClassFacts* its_class) {
  if (its_class == nullptr) {
    return wait({true, "ProvisioningFailed",
                 "storageclass.storage.k8s.io " + quoted(claim.class_name()) + " not found"});
  }
  if (its_class->provisioner.starts_with(kInTree)) {
    return wait(
        {true, "ProvisioningFailed", "no volume plugin matched name: " + its_class->provisioner});
  }
  return {ClaimStep::kProvision,
          Notice{false, "ExternalProvisioning",
                 "Waiting for a volume to be created either by the external provisioner '" +
                     its_class->provisioner +
                     "' or manually by the system administrator. If volume creation is delayed, "
                     "please verify that the provisioner is running and correctly registered."}};
}

ClaimPlan plan_unnamed(const kinds::ClaimFacts& claim, const ClaimState& state) {
  if (state.volume != nullptr) return {ClaimStep::kBind};
  if (!claim.storage_class && state.has_default_class) return {ClaimStep::kGiveClass};
  const bool delayed = state.its_class != nullptr && state.its_class->waits_for_consumer;
  if (delayed && !claim.selected_node) return wait_for_scheduler(state.waiting_pods);
  if (!claim.class_name().empty()) return plan_provisioning(claim, state.its_class);
  return wait({false, "FailedBinding",
               "no persistent volumes available for this claim and no storage class is set"});
}

ClaimPlan lose(std::string_view reason, std::string_view message) {
  return {ClaimStep::kLose, Notice{true, std::string(reason), std::string(message)}};
}

ClaimPlan plan_bound(const kinds::ClaimFacts& claim, const kinds::VolumeFacts* volume) {
  if (claim.volume.empty()) {
    return lose("ClaimLost",
                "Bound claim has lost reference to PersistentVolume. Data on the volume is lost!");
  }
  if (volume == nullptr) {
    return lose("ClaimLost",
                "Bound claim has lost its PersistentVolume. Data on the volume is lost!");
  }
  if (!volume->claim || volume->claim->uid == claim.uid) return {ClaimStep::kBind};
  return lose("ClaimMisbound",
              "Two claims are bound to the same volume, this one is bound incorrectly");
}

ReclaimPlan fail(std::string_view reason, std::string message) {
  return {Reclaim::kFail, Notice{true, std::string(reason), std::move(message)}};
}

ReclaimPlan plan_delete(const kinds::VolumeFacts& volume) {
  const std::string by = volume.provisioned_by.value_or("");
  if (!by.empty()) {
    if (!by.starts_with(kInTree)) return {Reclaim::kNothing};
    return fail("VolumeFailedDelete", "no volume plugin matched name: " + by);
  }
  if (volume.is_csi) return {Reclaim::kNothing};
  if (!volume.host_path) {
    return fail("VolumeFailedDelete", "error getting deleter volume plugin for volume " +
                                          quoted(volume.name) +
                                          ": no deletable volume plugin matched");
  }
  // For tests. Upstream removes the directory on the controllers' machine; here it is kept.
  const size_t found = volume.host_path->find("/tmp/");
  if (found != std::string::npos && found + 5 < volume.host_path->size()) return {Reclaim::kDelete};
  return fail("VolumeFailedDelete",
              "host_path deleter only supports /tmp/.+ but received provided " + *volume.host_path);
}

// Deprecated upstream, where pods wipe volumes of two kinds; not implemented here.
ReclaimPlan plan_recycle(std::span<const api::PodKey> users) {
  if (users.empty()) {
    return fail("VolumeFailedRecycle", "No recycler plugin found for the volume!");
  }
  std::vector<std::string> names;
  for (const api::PodKey& user : users) names.push_back(user.str());
  return {Reclaim::kNothing,
          Notice{false, "VolumeFailedRecycle", "Volume is used by pods: " + join(names, ",")}};
}

}  // namespace plan

ClaimPlan plan_claim(const kinds::ClaimFacts& claim, const ClaimState& state) {
  if (claim.bind_completed) return plan::plan_bound(claim, state.volume);
  if (!claim.volume.empty()) return plan::plan_named(claim, state.volume);
  return plan::plan_unnamed(claim, state);
}

VolumeStep plan_volume(const kinds::VolumeFacts& volume, const kinds::ClaimFacts* claim) {
  if (!volume.claim || volume.claim->uid.empty()) return VolumeStep::kOffer;
  if (claim == nullptr) return VolumeStep::kReclaim;
  if (claim->volume.empty()) {
    return claim->is_block == volume.is_block ? VolumeStep::kLeave : VolumeStep::kTell;
  }
  if (claim->volume == volume.name) return VolumeStep::kKeep;
  // A volume provisioned for another claim is not reused.
  if (volume.provisioned_by && volume.reclaim_policy == "Delete") return VolumeStep::kReclaim;
  return VolumeStep::kUnbind;
}

ReclaimPlan plan_reclaim(const kinds::VolumeFacts& volume, std::span<const api::PodKey> users) {
  if (volume.reclaim_policy == "Retain") return {Reclaim::kNothing};
  if (volume.reclaim_policy == "Delete") return plan::plan_delete(volume);
  if (volume.reclaim_policy == "Recycle") return plan::plan_recycle(users);
  return plan::fail("VolumeUnknownReclaimPolicy",
                    "Volume has unrecognized PersistentVolumeReclaimPolicy");
}

}  // namespace proa::controllers::storage
