#include "controllers/workload/stateful/stateful_actions.h"

#include "controllers/framework/writes.h"
#include "controllers/workload/stateful/ordinals.h"
#include "json/print.h"

namespace proa::controllers {
namespace stateful_actions {

using client::Key;

ClaimParties parties_of(const StatefulSource& set, int64_t ordinal, const api::ObjectPtr& pod) {
  return {.set_name = set.facts.name,
          .set_uid = std::string(set.owner.object.metadata().uid),
          .pod_name = stateful_pod_name(set.facts.name, ordinal),
          .pod_uid = pod == nullptr ? std::string() : std::string(pod->metadata().uid),
          .retention = set.facts.retention,
          .condemned = !set.facts.wants(ordinal)};
}

std::string_view name_space_of(const StatefulSource& set) {
  return set.owner.object.metadata().name_space;
}

}  // namespace stateful_actions

StatefulActions::StatefulActions(const ControllerContext& context)
    : client_(context.client),
      events_(context.events),
      pod_resource_(*context.schema.find_resource("", "v1", "pods")),
      claim_resource_(*context.schema.find_resource("", "v1", "persistentvolumeclaims")),
      pods_(context.informers.by_controller("", "pods")),
      claims_(context.informers.of("", "persistentvolumeclaims")),
      pod_writes_(pods_),
      claim_writes_(claims_) {}

bool StatefulActions::is_fresh(const client::Key& set) {
  return pod_writes_.is_fresh(set) && claim_writes_.is_fresh(set);
}

void StatefulActions::forget(const client::Key& set) {
  pod_writes_.forget(set);
  claim_writes_.forget(set);
}

api::ObjectPtr StatefulActions::find_claim(const StatefulSource& set, size_t index,
                                           int64_t ordinal) const {
  const std::string name =
      stateful_claim_name(set.facts.claim_templates[index], set.facts.name, ordinal);
  return claims_.cache().get({std::string(stateful_actions::name_space_of(set)), name});
}

void StatefulActions::look_at_claims(const StatefulSource& set, const api::ObjectPtr& pod,
                                     StatefulMember& member) const {
  const ClaimParties parties = stateful_actions::parties_of(set, member.ordinal, pod);
  for (size_t i = 0; i < set.facts.claim_templates.size(); ++i) {
    const api::ObjectPtr claim = find_claim(set, i, member.ordinal);
    if (claim == nullptr) {
      member.claims_missing = true;
      continue;
    }
    const api::Metadata& metadata = claim->metadata();
    if (!claim_owners_in_order(metadata, parties)) member.claims_misowned = true;
    if (set.facts.retention.goes_with_pod && is_left_by_earlier_pod(metadata, parties)) {
      member.claims_left = true;
    }
  }
}

Result<void> StatefulActions::create(const StatefulSource& set, int64_t ordinal,
                                     json::Document pod) {
  const std::string name = stateful_pod_name(set.facts.name, ordinal);
  if (Result<void> claims = put_claims(set, ordinal, nullptr, true); !claims) {
    if (!is_namespace_terminating(claims.status())) record_event(set, "Create", name, claims);
    return claims;
  }
  const client::Key key = client::Key::of(set.owner.object);
  const Result<api::ObjectPtr> created =
      client_.create(place_of(pod_resource_, {key.name_space, {}}), std::move(pod), {});
  Result<void> outcome = record_write(pod_writes_, set, created);
  // Another owner's pod has the name: wait without an event, as upstream does.
  const bool silent = created.is(Reason::kAlreadyExists) ||
                      (!created && is_namespace_terminating(created.status()));
  if (!silent) record_event(set, "Create", name, outcome);
  return outcome;
}

Result<void> StatefulActions::record_write(Freshness& writes, const StatefulSource& set,
                                           const Result<api::ObjectPtr>& answer) {
  writes.tried(client::Key::of(set.owner.object), answer);
  return answer ? Result<void>() : answer.status();
}

Result<void> StatefulActions::put_claims(const StatefulSource& set, int64_t ordinal,
                                         const api::ObjectPtr& pod, bool create) {
  const ClaimParties parties = stateful_actions::parties_of(set, ordinal, pod);
  Result<void> outcome;
  for (size_t i = 0; i < set.facts.claim_templates.size(); ++i) {
    const api::ObjectPtr claim = find_claim(set, i, ordinal);
    Result<void> one;
    if (claim != nullptr && claim->metadata().being_deleted && pod == nullptr) {
      one = Status(Reason::kConflict,
                   "pvc " + std::string(claim->metadata().name) + " is being deleted");
    } else if (claim != nullptr) {
      one = own_claim(set, *claim, parties);
    } else if (create) {
      one = create_claim(set, i, ordinal);
    }
    if (!one) outcome = one;
  }
  return outcome;
}

Result<void> StatefulActions::create_claim(const StatefulSource& set, size_t index,
                                           int64_t ordinal) {
  const client::Key key = client::Key::of(set.owner.object);
  const std::string name =
      stateful_claim_name(set.facts.claim_templates[index], set.facts.name, ordinal);
  const std::string pod = stateful_pod_name(set.facts.name, ordinal);
  json::Document claim = new_stateful_claim(set, index, ordinal);
  const Result<api::ObjectPtr> created =
      client_.create(place_of(claim_resource_, {key.name_space, {}}), std::move(claim), {});
  const auto about = client::ObjectReference::to(set.owner.object);
  if (record_write(claim_writes_, set, created)) {
    events_.normal(
        about, "SuccessfulCreate",
        "Create Claim " + name + " Pod " + pod + " in StatefulSet " + set.facts.name + " success");
    return {};
  }
  if (is_namespace_terminating(created.status())) return created.status();
  if (!created.is(Reason::kAlreadyExists)) {
    events_.warning(about, "FailedCreate",
                    "Create Claim " + name + " for Pod " + pod + " in StatefulSet " +
                        set.facts.name + " failed error: " + created.status().message());
  }
  return created.status().in("failed to create PVC " + name);
}

Result<void> StatefulActions::own_claim(const StatefulSource& set, const api::Object& claim,
                                        const ClaimParties& parties) {
  const std::string name(claim.metadata().name);
  if (has_conflicting_controller(claim.metadata(), parties)) {
    events_.warning(client::ObjectReference::to(set.owner.object), "ConflictingController",
                    "PersistentVolumeClaim " + name +
                        " has a conflicting OwnerReference that acts as a manging controller, the "
                        "retention policy is ignored for this claim");
  }
  if (claim_owners_in_order(claim.metadata(), parties)) return {};
  json::Document changed = TRY(claim.document());
  put_claim_owners(api::Edit(changed).object("metadata"), claim.metadata(), parties);
  const Result<api::ObjectPtr> updated =
      client_.update(place_of(claim_resource_, client::Key::of(claim)), std::move(changed), {});
  Result<void> outcome = record_write(claim_writes_, set, updated);
  if (outcome) return outcome;
  return outcome.status().in("could not update claim " + name + " for delete policy ownerRefs");
}

Result<void> StatefulActions::repair(const StatefulSource& set, int64_t ordinal,
                                     const api::ObjectPtr& pod) {
  const bool storage = has_stateful_storage(*pod, set.facts, ordinal);
  Result<void> outcome = put_claims(set, ordinal, pod, !storage);
  if (outcome && (!storage || !has_stateful_identity(*pod))) {
    outcome = update_pod(set, ordinal, *pod);
  }
  record_event(set, "Update", pod->metadata().name, outcome);
  return outcome;
}

Result<void> StatefulActions::update_pod(const StatefulSource& set, int64_t ordinal,
                                         const api::Object& pod) {
  json::Document changed = TRY(pod.document());
  put_stateful_identity(api::Edit(changed), set.facts, ordinal);
  if (!has_stateful_storage(pod, set.facts, ordinal)) {
    put_stateful_storage(api::Edit(changed), set.facts, ordinal);
  }
  const Result<api::ObjectPtr> updated =
      client_.update(place_of(pod_resource_, client::Key::of(pod)), std::move(changed), {});
  return record_write(pod_writes_, set, updated);
}

Result<void> StatefulActions::remove(const StatefulSource& set, const api::Object& pod) {
  Result<void> removed = client_.remove(place_of(pod_resource_, client::Key::of(pod)),
                                        {.uid = std::string(pod.metadata().uid)});
  // Deleted, or replaced by another pod.
  if (removed.is(Reason::kNotFound) || removed.is(Reason::kConflict)) return {};
  pod_writes_.tried_to_remove(client::Key::of(set.owner.object), pod, removed);
  record_event(set, "Delete", pod.metadata().name, removed);
  return removed;
}

void StatefulActions::record_event(const StatefulSource& set, std::string_view verb,
                                   std::string_view pod, const Result<void>& outcome) {
  const auto about = client::ObjectReference::to(set.owner.object);
  const std::string what =
      std::string(verb) + " Pod " + std::string(pod) + " in StatefulSet " + set.facts.name;
  if (outcome) {
    events_.normal(about, "Successful" + std::string(verb), what + " successful");
  } else {
    events_.warning(about, "Failed" + std::string(verb),
                    what + " failed error: " + outcome.status().message());
  }
}

}  // namespace proa::controllers
