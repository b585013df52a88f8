#include "sim/scenarios/sets/stateful_claims.h"

#include <fmt/format.h>

#include "api/object/view.h"
#include "controllers/pods/pod_facts.h"
#include "controllers/storage/pod_claims.h"
#include "controllers/workload/stateful/ordinals.h"

namespace proa::sim {
namespace stateful_claims {

constexpr const char* kResource = "persistentvolumeclaims";

// Claims of scheduled pods are in use.
std::set<std::string> in_use(Cluster& cluster) {
  std::set<std::string> names;
  for (const api::ObjectPtr& pod : cluster.list("", "pods")) {
    const controllers::storage::PodClaims& claims = controllers::storage::pod_claims(*pod);
    if (claims.node.empty()) continue;
    for (const auto& use : claims.uses) names.insert(use.claim);
  }
  return names;
}

std::set<std::string> possible_owners(Cluster& cluster) {
  std::set<std::string> uids;
  for (const api::ObjectPtr& pod : cluster.list("", "pods")) uids.emplace(pod->metadata().uid);
  for (const api::ObjectPtr& set : cluster.list("apps", "statefulsets")) {
    uids.emplace(set->metadata().uid);
  }
  return uids;
}

void check_owners(Cluster& cluster, Violations& violations) {
  const std::set<std::string> used = in_use(cluster);
  const std::set<std::string> owners = possible_owners(cluster);
  for (const api::ObjectPtr& claim : cluster.list("", kResource)) {
    const std::string name(claim->metadata().name);
    if (claim->metadata().being_deleted) {
      if (!used.contains(name)) violations.push_back(name + " never goes");
      continue;
    }
    for (const api::Metadata::Owner& owner : claim->metadata().owners) {
      if (owners.contains(std::string(owner.uid))) continue;
      violations.push_back(fmt::format("{} outlived {} {}", name, owner.kind, owner.name));
    }
  }
}

}  // namespace stateful_claims

int64_t StatefulClaims::ordinal_of(const api::Object& claim) const {
  return controllers::stateful_ordinal("data-" + set_, claim.metadata().name).value_or(-1);
}

void StatefulClaims::wrote(const api::Object& set) {
  const std::string policy = "spec.persistentVolumeClaimRetentionPolicy.";
  if (text_at(set, policy + "whenScaled") == "Delete") goes_with_pod_ = true;
  if (text_at(set, policy + "whenDeleted") == "Delete") goes_with_set_ = true;
  const StatefulSpec spec = stateful_spec(set);
  for (auto& [uid, claim] : claims_) {
    if (!spec.wants(claim.ordinal)) claim.unwanted = true;
  }
}

void StatefulClaims::removes_claim(const api::Object& claim) {
  claims_[std::string(claim.metadata().uid)].removed = true;
}

bool StatefulClaims::may_go(const Claim& claim) const {
  if (claim.removed || (goes_with_set_ && removed_)) return true;
  return goes_with_pod_ && claim.unwanted;
}

Violations StatefulClaims::look(Cluster& cluster, const StatefulRules& rules) {
  std::set<std::string> there;
  for (const api::ObjectPtr& claim : cluster.list("", stateful_claims::kResource)) {
    const int64_t ordinal = ordinal_of(*claim);
    const std::string uid(claim->metadata().uid);
    claims_.try_emplace(
        uid,
        Claim{.ordinal = ordinal, .unwanted = !rules.surely_wanted(ordinal), .removed = false});
    if (!claim->metadata().being_deleted) there.insert(uid);
  }
  Violations violations;
  for (const auto& [uid, claim] : claims_) {
    if (there.contains(uid) || may_go(claim)) continue;
    violations.push_back(fmt::format("what {}-{} had stored is lost", set_, claim.ordinal));
  }
  return violations;
}

Violations StatefulClaims::at_rest(Cluster& cluster, const api::ObjectPtr& set) const {
  Violations violations;
  stateful_claims::check_owners(cluster, violations);
  if (set == nullptr) return violations;
  const bool owned =
      text_at(*set, "spec.persistentVolumeClaimRetentionPolicy.whenDeleted") == "Delete";
  const StatefulSpec spec = stateful_spec(*set);
  for (int64_t i = spec.start; i < spec.start + spec.replicas; ++i) {
    const std::string name = fmt::format("data-{}-{}", set_, i);
    const api::ObjectPtr claim = cluster.get("", stateful_claims::kResource, name);
    if (claim == nullptr) {
      violations.push_back(name + " is missing");
      continue;
    }
    // It is deleted with the pod and then recreated.
    if (claim->metadata().being_deleted) continue;
    expect_equal(violations, "owner of " + name, controller_uid(*claim),
                 owned ? set->metadata().uid : std::string_view());
  }
  return violations;
}

}  // namespace proa::sim
