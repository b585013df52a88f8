#pragma once

#include <string>
#include <vector>

#include "api/object/object.h"
#include "controllers/framework/informers.h"

namespace proa::controllers::storage {

// What storage asks of a pod, read once for each state of it.
struct PodClaims {
  struct Use {
    std::string claim;       // its name, in the pod's namespace
    bool ephemeral = false;  // made for this pod: one of that name may be somebody else's
  };
  std::vector<Use> uses;
  std::string node = {};    // where it runs, or is to run
  bool terminated = false;  // none of its containers runs, and none will
  bool shut_down = false;   // the kubelet is done with it, or it was deleted by force
};

const PodClaims& pod_claims(const api::Object& pod);

// The claims that a pod uses: "namespace/name".
std::vector<std::string> index_by_claim(const api::Object& pod);
// Pods, found under "claim" by that.
client::Informer& pods_by_claim(Informers& informers);

// The name of the claim that is made for a pod's volume.
std::string ephemeral_claim_name(std::string_view pod, std::string_view volume);
// Whether the claim was made for this pod.
bool is_made_for(const api::Object& claim, const api::Object& pod);

}  // namespace proa::controllers::storage
