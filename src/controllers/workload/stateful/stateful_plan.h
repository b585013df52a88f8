#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace proa::controllers {

// One pod of a StatefulSet as planning sees it, or the place where one should be.
struct StatefulMember {
  int64_t ordinal = 0;
  bool exists = false;
  bool finished = false;  // failed or succeeded: it will not serve any more
  bool pending = false;
  bool being_deleted = false;
  bool ready = false;      // and running
  bool available = false;  // ready for long enough
  bool outdated = false;   // not made of the newest revision
  bool claims_missing = false;
  bool claims_misowned = false;  // not as the retention policy wants it
  bool claims_left = false;      // by an earlier pod, which they are still to follow
  bool unlike_identity = false;  // labels or volumes

  bool healthy() const { return ready && available && !being_deleted; }
};

struct StatefulPolicy {
  bool parallel = false;
  bool updates = true;        // pods are replaced when the template changes: not OnDelete
  int64_t first_updated = 0;  // ordinals before it keep their revision
};

enum class StatefulAction : uint8_t {
  kCreate,
  kClaims,       // makes those that are missing, and puts their owners right
  kClaimOwners,  // only the latter
  kRepair,       // all of that, and the pod's identity
  kRemove,
  kRemoveForUpdate,
};

struct StatefulStep {
  StatefulAction action;
  int64_t ordinal;

  bool operator==(const StatefulStep&) const = default;
};

// What can be done now, one stage after the other; behind a stage that failed, none is begun. The
// steps of a stage go out together when the set is parallel, else one by one.
using StatefulStages = std::vector<std::vector<StatefulStep>>;

// `replicas`: those that should be there, ascending; `condemned`: those that should not,
// descending.
StatefulStages plan_stateful(const StatefulPolicy& policy, std::span<const StatefulMember> replicas,
                             std::span<const StatefulMember> condemned);

}  // namespace proa::controllers
