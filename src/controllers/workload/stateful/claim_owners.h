#pragma once

#include <string>

#include "api/object/edit.h"
#include "api/object/object.h"

// Owner references on the claims of StatefulSet pods; the garbage collector acts on them.

namespace proa::controllers {

// spec.persistentVolumeClaimRetentionPolicy
struct ClaimRetention {
  bool goes_with_set = false;  // whenDeleted: Delete
  bool goes_with_pod = false;  // whenScaled: Delete

  bool keeps_all() const { return !goes_with_set && !goes_with_pod; }
};

enum class ClaimOwner : uint8_t { kNobody, kSet, kPod };
// `condemned`: the pod's ordinal is beyond spec.replicas.
ClaimOwner wanted_claim_owner(const ClaimRetention& retention, bool condemned);

// The possible owners of a pod's claims.
struct ClaimParties {
  std::string set_name;
  std::string set_uid;
  std::string pod_name;
  std::string pod_uid;  // empty: the pod does not exist yet
  ClaimRetention retention;
  bool condemned = false;
};

// Owned by an earlier pod of the same name: it will be deleted and must not be used.
bool is_left_by_earlier_pod(const api::Metadata& claim, const ClaimParties& parties);
// Controlled by another object: the policy does not apply.
bool has_conflicting_controller(const api::Metadata& claim, const ClaimParties& parties);
// Whether the owners match the policy. References of earlier sets or pods of the name are ignored.
bool claim_owners_in_order(const api::Metadata& claim, const ClaimParties& parties);
// Updates the references.
void put_claim_owners(api::Edit metadata, const api::Metadata& claim, const ClaimParties& parties);

}  // namespace proa::controllers
