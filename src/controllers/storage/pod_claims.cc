#include "controllers/storage/pod_claims.h"

#include <algorithm>

#include "controllers/storage/objects.h"

namespace proa::controllers::storage {
namespace pod_claims_reader {

// Most pods have none; a text search avoids decoding them.
bool may_have_claims(std::string_view json) {
  return json.find("\"persistentVolumeClaim\"") != std::string_view::npos ||
         json.find("\"ephemeral\"") != std::string_view::npos;
}

bool none_runs(const ClaimPodStatus& status) {
  for (const auto* list :
       {&status.init_containers, &status.containers, &status.ephemeral_containers}) {
    for (const ContainerStatus& one : *list) {
      if (!one.state.terminated && !one.state.waiting) return false;
    }
  }
  return true;
}

PodClaims read(const api::Object& object) {
  PodClaims claims;
  if (!may_have_claims(object.json())) return claims;
  Result<ClaimPod> pod = api::decode<ClaimPod>(object);
  if (!pod) return claims;
  for (ClaimPodVolume& volume : pod->spec.volumes) {
    if (volume.claim) {
      claims.uses.push_back({std::move(volume.claim->claim), false});
    } else if (volume.ephemeral) {
      claims.uses.push_back({ephemeral_claim_name(object.metadata().name, volume.name), true});
    }
  }
  claims.node = std::move(pod->spec.node);
  const bool being_deleted = object.metadata().being_deleted;
  claims.shut_down = being_deleted && pod->metadata.grace_period_seconds == 0;
  const std::string_view phase = pod->status.phase;
  claims.terminated =
      phase == "Failed" || phase == "Succeeded" || (being_deleted && none_runs(pod->status));
  return claims;
}

}  // namespace pod_claims_reader

const PodClaims& pod_claims(const api::Object& pod) {
  return pod.kept<PodClaims>([&] { return pod_claims_reader::read(pod); });
}

std::vector<std::string> index_by_claim(const api::Object& pod) {
  std::vector<std::string> keys;
  const std::string front = std::string(pod.metadata().name_space) + "/";
  for (const PodClaims::Use& use : pod_claims(pod).uses) keys.push_back(front + use.claim);
  return keys;
}

client::Informer& pods_by_claim(Informers& informers) {
  return informers.indexed("", "pods", "claim", index_by_claim);
}

std::string ephemeral_claim_name(std::string_view pod, std::string_view volume) {
  return std::string(pod) + "-" + std::string(volume);
}

bool is_made_for(const api::Object& claim, const api::Object& pod) {
  if (claim.metadata().name_space != pod.metadata().name_space) return false;
  const auto& owners = claim.metadata().owners;
  return std::any_of(owners.begin(), owners.end(), [&](const api::Metadata::Owner& owner) {
    return owner.controller && owner.uid == pod.metadata().uid;
  });
}

}  // namespace proa::controllers::storage
