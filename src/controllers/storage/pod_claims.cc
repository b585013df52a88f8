#include "controllers/storage/pod_claims.h"

#include <algorithm>

#include "api/object/view.h"

namespace proa::controllers::storage {
namespace pod_claims_reader {

using api::View;

// Most pods have none, and need not be parsed to see that.
bool may_have_claims(std::string_view json) {
  return json.find("\"persistentVolumeClaim\"") != std::string_view::npos ||
         json.find("\"ephemeral\"") != std::string_view::npos;
}

bool none_runs(View status) {
  for (const char* list :
       {"initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses"}) {
    for (const View one : status[list].items()) {
      if (!one["state"]["terminated"] && !one["state"]["waiting"]) return false;
    }
  }
  return true;
}

PodClaims read(const api::Object& pod) {
  PodClaims claims;
  if (!may_have_claims(pod.json())) return claims;
  const Result<json::Document> document = pod.document();
  if (!document) return claims;
  const View root = document->root();
  const View metadata = root["metadata"];
  for (const View volume : root["spec"]["volumes"].items()) {
    if (const View source = volume["persistentVolumeClaim"]) {
      claims.uses.push_back({std::string(source["claimName"].text()), false});
    } else if (volume["ephemeral"]) {
      claims.uses.push_back(
          {ephemeral_claim_name(metadata["name"].text(), volume["name"].text()), true});
    }
  }
  claims.node = root["spec"]["nodeName"].text();
  const bool leaving = metadata["deletionTimestamp"].exists();
  const View grace = metadata["deletionGracePeriodSeconds"];
  claims.shut_down = leaving && grace && grace.integer() == 0;
  const std::string_view phase = root["status"]["phase"].text();
  claims.terminated =
      phase == "Failed" || phase == "Succeeded" || (leaving && none_runs(root["status"]));
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
