#pragma once

#include <string>

#include "api/object/edit.h"
#include "api/object/object.h"

// Who goes and takes the claims of a StatefulSet's pods along: owner references say it, and the
// garbage collector does it.

namespace proa::controllers {

// spec.persistentVolumeClaimRetentionPolicy
struct ClaimRetention {
  bool goes_with_set = false;  // whenDeleted: Delete
  bool goes_with_pod = false;  // whenScaled: Delete

  bool keeps_all() const { return !goes_with_set && !goes_with_pod; }
};

enum class ClaimOwner : uint8_t { kNobody, kSet, kPod };
// `condemned`: the pod is beyond the number of replicas, so it goes and does not come back.
ClaimOwner wanted_claim_owner(const ClaimRetention& retention, bool condemned);

// Those who may own the claims of one pod.
struct ClaimParties {
  std::string set_name;
  std::string set_uid;
  std::string pod_name;
  std::string pod_uid;  // empty: there is no such pod yet
  ClaimRetention retention;
  bool condemned = false;
};

// An earlier pod of that name owns it: the claim will go, and must not be used any more.
bool is_left_by_earlier_pod(const api::Metadata& claim, const ClaimParties& parties);
// Somebody else controls it: the policy has no say.
bool has_conflicting_controller(const api::Metadata& claim, const ClaimParties& parties);
// Whether nothing is to be changed. What an earlier set or pod of that name owns is left alone.
bool claim_owners_in_order(const api::Metadata& claim, const ClaimParties& parties);
// Makes them so.
void put_claim_owners(api::Edit metadata, const api::Metadata& claim, const ClaimParties& parties);

}  // namespace proa::controllers
