#pragma once

#include <string>
#include <vector>

#include "api/object/names.h"
#include "api/object/object.h"
#include "controllers/framework/informers.h"

namespace proa::controllers::storage {

// What storage controllers read of a pod, once per version of it.
struct PodClaims {
  struct Use {
    std::string claim;  // name, in the pod's namespace
    bool ephemeral =
        false;  // of an ephemeral volume; a claim of that name may belong to another pod
  };
  std::vector<Use> uses;
  api::NodeName node = {};  // spec.nodeName
  bool terminated = false;  // no container runs or will run
  bool shut_down = false;   // the kubelet has finished it, or it was force-deleted
};

const PodClaims& pod_claims(const api::Object& pod);

// The claims of a pod: "namespace/name".
std::vector<std::string> index_by_claim(const api::Object& pod);
// The informer of pods with the index "claim" by that.
client::Informer& pods_by_claim(Informers& informers);

// The name of the claim of an ephemeral volume.
std::string ephemeral_claim_name(std::string_view pod, std::string_view volume);
// Whether the claim was created for this pod.
bool is_made_for(const api::Object& claim, const api::Object& pod);

}  // namespace proa::controllers::storage
