#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace proa::controllers {

// A pod of a StatefulSet, existing or missing, as input of the plan.
struct StatefulMember {
  int64_t ordinal = 0;
  bool exists = false;
  bool finished = false;  // failed or succeeded
  bool pending = false;
  bool being_deleted = false;
  bool ready = false;      // and running
  bool available = false;  // ready for minReadySeconds
  bool outdated = false;   // not of the update revision
  bool claims_missing = false;
  bool claims_misowned = false;  // owners differ from the retention policy
  bool claims_left = false;      // claims of an earlier pod that are to be deleted
  bool unlike_identity = false;  // labels or volumes differ

  bool healthy() const { return ready && available && !being_deleted; }
};

struct StatefulPolicy {
  bool parallel = false;
  bool updates = true;        // false: updateStrategy OnDelete
  int64_t first_updated = 0;  // ordinals below it keep their revision
};

enum class StatefulAction : uint8_t {
  kCreate,
  kClaims,       // create missing claims and update their owners
  kClaimOwners,  // update owners only
  kRepair,       // as kClaims, and update the pod's identity
  kRemove,
  kRemoveForUpdate,
};

struct StatefulStep {
  StatefulAction action;
  int64_t ordinal;

  bool operator==(const StatefulStep&) const = default;
};

// Stages in order; a failed stage stops the plan. Steps of a stage run concurrently if the set is
// parallel.
using StatefulStages = std::vector<std::vector<StatefulStep>>;

// `replicas`: the desired pods, ascending; `condemned`: the others, descending.
StatefulStages plan_stateful(const StatefulPolicy& policy, std::span<const StatefulMember> replicas,
                             std::span<const StatefulMember> condemned);

}  // namespace proa::controllers
