#pragma once

#include <string>
#include <vector>

#include "api/object/object.h"
#include "base/result.h"
#include "client/informer/cache.h"
#include "scheduler/model/pod.h"
#include "scheduler/plugins/volumes/in_tree.h"

namespace proa::scheduler {

// A volume of a pod that is not made by its node. Of pods without any, PodShape says so.
struct PodVolume {
  enum class Kind : uint8_t {
    kClaim,
    kEphemeral,  // a claim that is made for the pod, and goes with it
    kInTree,
    kCsi,  // of the node's driver, without a claim
  };
  Kind kind = Kind::kClaim;
  std::string name = {};                  // the claim's; of kCsi: the driver's
  const InTreePlugin* in_tree = nullptr;  // of kInTree
  std::string handle = {};                // of kInTree: what the driver calls it

  bool has_claim() const { return kind == Kind::kClaim || kind == Kind::kEphemeral; }
};

// In the order in which the pod names them; read once for each state of it.
const std::vector<PodVolume>& volumes_of(const Pod& pod);

// Whether it uses the claim of that name in its namespace; `ephemeral_too`: also as one that was
// made for it.
bool uses_claim(const Pod& pod, const api::Object& claim, bool ephemeral_too);

// kNotFound when there is no such claim.
Result<api::ObjectPtr> find_claim(const client::Cache& claims, const Pod& pod,
                                  const PodVolume& volume);
// kUnknown when the claim of an ephemeral volume was not made for the pod.
Result<void> check_owner(const Pod& pod, const PodVolume& volume, const api::Object& claim);

// kNotFound, as upstream's caches say it: `persistentvolumeclaim "data" not found`.
Status not_found(std::string_view what, std::string_view name);

}  // namespace proa::scheduler
