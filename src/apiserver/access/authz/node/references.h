#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/object/view.h"

// Which other objects a pod or a volume names: what its node has to read to run it.

namespace proa::apiserver {

enum class Relative : char {
  kConfigMap,
  kSecret,
  kClaim,   // a PersistentVolumeClaim
  kVolume,  // a PersistentVolume
  kResourceClaim,
  kServiceAccount,
  kPod,
  kAttachment,  // a VolumeAttachment
  kSlice,       // a ResourceSlice
};

struct Reference {
  Relative kind;
  std::string name;  // in the pod's namespace
};

// Of all containers and volumes, and what the status says about claims that were made for it; some
// may come twice. Mirror pods name nothing: nodes make them, and must not give themselves access.
std::vector<Reference> references_of_pod(api::View pod);
// The same without a look at whether it is a mirror pod.
std::vector<Reference> names_in_pod(api::View pod);

bool is_mirror_pod(api::View pod);
// The claim that is made for a generic ephemeral volume of a pod.
std::string ephemeral_claim_name(std::string_view pod, std::string_view volume);

struct SecretReference {
  std::string_view name_space;
  std::string_view name;
};

// Those that a node needs to mount a PersistentVolume; not those that only controllers use.
std::vector<SecretReference> secrets_of_volume(api::View volume);

}  // namespace proa::apiserver
