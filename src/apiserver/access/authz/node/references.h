#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/object/view.h"

// The objects that a pod or volume references and its node must read to run it.

namespace proa::apiserver {

enum class Relative : char {
  kConfigMap,
  kSecret,
  kClaim,   // a PersistentVolumeClaim
  kVolume,  // a PersistentVolume
  kResourceClaim,
  kServiceAccount,
  kPod,
  kAttachment,   // a VolumeAttachment
  kSlice,        // a ResourceSlice
  kLocalVolume,  // a PersistentVolume that is a directory of the node (kinds::kLocalPathNode)
};

struct Reference {
  Relative kind;
  std::string name;  // in the pod's namespace
};

// The references of all containers and volumes, and the claims generated for the pod as its status
// lists them. May contain duplicates. Mirror pods have none: nodes create them and must not grant
// themselves access.
std::vector<Reference> references_of_pod(api::View pod);
// The same, also for mirror pods.
std::vector<Reference> names_in_pod(api::View pod);

bool is_mirror_pod(api::View pod);
// The name of the claim generated for a generic ephemeral volume.
std::string ephemeral_claim_name(std::string_view pod, std::string_view volume);

struct SecretReference {
  std::string_view name_space;
  std::string_view name;
};

// The secrets that a node needs to mount a PersistentVolume; not those that only controllers use.
std::vector<SecretReference> secrets_of_volume(api::View volume);

}  // namespace proa::apiserver
