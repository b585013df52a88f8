#include "controllers/workload/stateful/claim_owners.h"

#include <algorithm>

namespace proa::controllers {
namespace claim_owners {

using Reference = api::Metadata::Owner;

// By name: includes earlier objects of the name.
bool names_set(const Reference& reference, const ClaimParties& parties) {
  return reference.api_version == "apps/v1" && reference.kind == "StatefulSet" &&
         reference.name == parties.set_name;
}

bool names_pod(const Reference& reference, const ClaimParties& parties) {
  return reference.api_version == "v1" && reference.kind == "Pod" &&
         reference.name == parties.pod_name;
}

bool is_left_by_earlier_set(const api::Metadata& claim, const ClaimParties& parties) {
  return std::any_of(claim.owners.begin(), claim.owners.end(), [&](const Reference& one) {
    return names_set(one, parties) && one.uid != parties.set_uid;
  });
}

bool is_owned_by(const api::Metadata& claim, std::string_view uid) {
  return std::any_of(claim.owners.begin(), claim.owners.end(),
                     [&](const Reference& one) { return one.uid == uid; });
}

// A non-controlling reference to the set or pod, which a user added.
bool has_weak_owner(const api::Metadata& claim, const ClaimParties& parties) {
  return std::any_of(claim.owners.begin(), claim.owners.end(), [&](const Reference& one) {
    return !one.controller && (one.uid == parties.set_uid || one.uid == parties.pod_uid);
  });
}

// `blocks`: blockOwnerDeletion.
void push_controller(api::Edit references, const Reference& owner, bool blocks) {
  const api::Edit added = references.push_object();
  added.set("apiVersion", owner.api_version);
  added.set("kind", owner.kind);
  added.set("name", owner.name);
  added.set("uid", owner.uid);
  added.set("controller", true);
  added.set("blockOwnerDeletion", blocks);
}

}  // namespace claim_owners

ClaimOwner wanted_claim_owner(const ClaimRetention& retention, bool condemned) {
  if (retention.goes_with_pod && condemned) return ClaimOwner::kPod;
  return retention.goes_with_set ? ClaimOwner::kSet : ClaimOwner::kNobody;
}

bool is_left_by_earlier_pod(const api::Metadata& claim, const ClaimParties& parties) {
  return std::any_of(claim.owners.begin(), claim.owners.end(), [&](const auto& one) {
    return claim_owners::names_pod(one, parties) && one.uid != parties.pod_uid;
  });
}

bool has_conflicting_controller(const api::Metadata& claim, const ClaimParties& parties) {
  if (parties.retention.keeps_all()) return false;
  return std::any_of(claim.owners.begin(), claim.owners.end(), [&](const auto& one) {
    return one.controller && !claim_owners::names_set(one, parties) &&
           !claim_owners::names_pod(one, parties);
  });
}

bool claim_owners_in_order(const api::Metadata& claim, const ClaimParties& parties) {
  if (claim_owners::is_left_by_earlier_set(claim, parties)) return true;
  if (is_left_by_earlier_pod(claim, parties)) return true;
  const bool set = claim_owners::is_owned_by(claim, parties.set_uid);
  const bool pod = !parties.pod_uid.empty() && claim_owners::is_owned_by(claim, parties.pod_uid);
  if (has_conflicting_controller(claim, parties)) return !set && !pod;
  if (claim_owners::has_weak_owner(claim, parties)) return false;
  const ClaimOwner wanted = wanted_claim_owner(parties.retention, parties.condemned);
  return set == (wanted == ClaimOwner::kSet) && pod == (wanted == ClaimOwner::kPod);
}

void put_claim_owners(api::Edit metadata, const api::Metadata& claim, const ClaimParties& parties) {
  const json::Value before = metadata.array("ownerReferences").value().copy(metadata.arena());
  metadata.set("ownerReferences", json::Value::array());
  const api::Edit references = metadata.array("ownerReferences");
  for (size_t i = 0; i < claim.owners.size() && i < before.size(); ++i) {
    const auto& one = claim.owners[i];
    if (claim_owners::names_set(one, parties) || claim_owners::names_pod(one, parties)) continue;
    references.push(before.items()[i].copy(metadata.arena()));
  }
  if (!has_conflicting_controller(claim, parties)) {
    switch (wanted_claim_owner(parties.retention, parties.condemned)) {
      case ClaimOwner::kNobody:
        break;
      case ClaimOwner::kSet:
        claim_owners::push_controller(
            references, {"apps/v1", "StatefulSet", parties.set_name, parties.set_uid}, true);
        break;
      case ClaimOwner::kPod:
        // Not blocking: a claim in use stays until its pod is gone, so a pod in foreground deletion
        // that waits for its claim would never go, as upstream's.
        claim_owners::push_controller(references, {"v1", "Pod", parties.pod_name, parties.pod_uid},
                                      false);
        break;
    }
  }
  if (references.size() == 0) metadata.remove("ownerReferences");
}

}  // namespace proa::controllers
