#pragma once

#include <string>
#include <vector>

#include "api/object/object.h"
#include "base/result.h"
#include "client/informer/cache.h"
#include "scheduler/model/pod.h"
#include "scheduler/plugins/volumes/in_tree.h"

namespace proa::scheduler {

// A pod's volume that is not local to the node. PodShape tells whether there are any.
struct PodVolume {
  enum class Kind : uint8_t {
    kClaim,
    kEphemeral,  // a claim created for the pod and deleted with it
    kInTree,
    kCsi,  // inline CSI volume
  };
  Kind kind = Kind::kClaim;
  std::string name = {};                  // the claim's; of kCsi: the driver's
  const InTreePlugin* in_tree = nullptr;  // of kInTree
  std::string handle = {};                // of kInTree: what the driver calls it

  bool has_claim() const { return kind == Kind::kClaim || kind == Kind::kEphemeral; }
};

// In the pod's order; read once per version of it.
const std::vector<PodVolume>& volumes_of(const Pod& pod);

// Whether the pod uses the claim; `ephemeral_too`: also for ephemeral volumes.
bool uses_claim(const Pod& pod, const api::Object& claim, bool ephemeral_too);

// kNotFound if the claim does not exist.
Result<api::ObjectPtr> find_claim(const client::Cache& claims, const Pod& pod,
                                  const PodVolume& volume);
// kUnknown if the claim of an ephemeral volume belongs to another pod.
Result<void> check_owner(const Pod& pod, const PodVolume& volume, const api::Object& claim);

// kNotFound with the message of upstream's caches: `persistentvolumeclaim "data" not found`.
Status not_found(std::string_view what, std::string_view name);

}  // namespace proa::scheduler
