#include "controllers/storage/binder/ledger.h"

#include "controllers/framework/writes.h"
#include "controllers/storage/binder/edits.h"
#include "controllers/storage/pod_claims.h"
#include "json/print.h"

namespace proa::controllers::storage {
namespace ledger {

using client::Key;

constexpr const char* kIndex = "persistentvolume-binder";

// Index of volumes: by claim, or available by class.
std::string of_claim(const Key& claim) { return "claim/" + claim.str(); }
std::string free_of(std::string_view class_name) { return "free/" + std::string(class_name); }
// Index of claims: by volume, or pending by class.
std::string naming(std::string_view volume) { return "volume/" + std::string(volume); }
std::string pending_of(std::string_view class_name) { return "pending/" + std::string(class_name); }

std::vector<std::string> index_volume(const api::Object& volume) {
  const kinds::VolumeFacts& facts = kinds::volume_facts(volume);
  if (!facts.claim) return {free_of(facts.storage_class)};
  return {of_claim({facts.claim->name_space, facts.claim->name})};
}

std::vector<std::string> index_claim(const api::Object& claim) {
  const kinds::ClaimFacts& facts = kinds::claim_facts(claim);
  if (!facts.volume.empty()) return {naming(facts.volume)};
  return {pending_of(facts.class_name())};
}

}  // namespace ledger

Ledger::Ledger(const ControllerContext& context)
    : client_(context.client),
      events_(context.events),
      claim_resource_(*context.schema.find_resource("", "v1", "persistentvolumeclaims")),
      volume_resource_(*context.schema.find_resource("", "v1", "persistentvolumes")),
      claims_(context.informers.of("", "persistentvolumeclaims")),
      volumes_(context.informers.of("", "persistentvolumes")),
      classes_(context.informers.of("storage.k8s.io", "storageclasses")),
      pods_(pods_by_claim(context.informers)),
      claim_writes_(claims_),
      volume_writes_(volumes_) {
  claims_.add_index(ledger::kIndex, ledger::index_claim);
  volumes_.add_index(ledger::kIndex, ledger::index_volume);
}

std::vector<api::ObjectPtr> Ledger::volumes_of(const client::Key& claim) const {
  return volumes_.cache().find(ledger::kIndex, ledger::of_claim(claim));
}

std::vector<api::ObjectPtr> Ledger::free_volumes(std::string_view class_name) const {
  return volumes_.cache().find(ledger::kIndex, ledger::free_of(class_name));
}

std::vector<api::ObjectPtr> Ledger::pending_claims(std::string_view class_name) const {
  return claims_.cache().find(ledger::kIndex, ledger::pending_of(class_name));
}

std::vector<api::ObjectPtr> Ledger::claims_naming(std::string_view volume) const {
  return claims_.cache().find(ledger::kIndex, ledger::naming(volume));
}

std::vector<api::ObjectPtr> Ledger::pods_using(const client::Key& claim) const {
  return pods_.cache().find("claim", claim.str());
}

const kinds::ClassFacts* Ledger::class_of(const kinds::ClaimFacts& claim,
                                          api::ObjectPtr& holder) const {
  if (claim.class_name().empty()) return nullptr;
  holder = classes_.cache().get({"", std::string(claim.class_name())});
  return holder == nullptr ? nullptr : &kinds::class_facts(*holder);
}

api::ObjectPtr Ledger::default_class() const {
  api::ObjectPtr newest;
  for (const api::ObjectPtr& one : classes_.cache().list()) {
    if (!kinds::class_facts(*one).is_default) continue;
    // RFC 3339 times compare as text; of equal ones the first by name counts.
    if (newest == nullptr || kinds::class_facts(*newest).created < kinds::class_facts(*one).created)
      newest = one;
  }
  return newest;
}

Result<api::ObjectPtr> Ledger::claim_now(const client::Key& claim) const {
  Result<api::ObjectPtr> found = client_.get(place_of(claim_resource_, claim));
  if (found.is(Reason::kNotFound)) return api::ObjectPtr();
  return found;
}

bool Ledger::is_up_to_date(const client::Key& key) {
  const bool claims = claim_writes_.is_fresh(key);
  const bool volumes = volume_writes_.is_fresh(key);
  return claims && volumes;
}

void Ledger::forget(const client::Key& key) {
  claim_writes_.forget(key);
  volume_writes_.forget(key);
}

Result<api::ObjectPtr> Ledger::change(const api::Resource& resource, Freshness& freshness,
                                      const api::ObjectPtr& object, std::string_view part,
                                      const Change& edit) {
  json::Document document = TRY(object->document());
  if (!edit(document)) return object;
  const client::Key key = client::Key::of(*object);
  api::ObjectPtr written =
      TRY(client_.update(place_of(resource, key, part), std::move(document), {}));
  freshness.wrote(key, *written);
  return written;
}

Result<api::ObjectPtr> Ledger::change_claim(const api::ObjectPtr& claim, const Change& edit) {
  return change(claim_resource_, claim_writes_, claim, "", edit);
}

Result<api::ObjectPtr> Ledger::change_claim_status(const api::ObjectPtr& claim,
                                                   const Change& edit) {
  return change(claim_resource_, claim_writes_, claim, "status", edit);
}

Result<api::ObjectPtr> Ledger::change_volume(const api::ObjectPtr& volume, const Change& edit) {
  return change(volume_resource_, volume_writes_, volume, "", edit);
}

Result<api::ObjectPtr> Ledger::change_volume_phase(const api::ObjectPtr& volume,
                                                   std::string_view phase,
                                                   std::string_view message) {
  return change(volume_resource_, volume_writes_, volume, "status", [&](json::Document& document) {
    return set_volume_phase(document, phase, message);
  });
}

Result<void> Ledger::remove_volume(const api::Object& volume) {
  const client::Key key = client::Key::of(volume);
  const client::RemoveChoices only{
      .uid = std::string(volume.metadata().uid),
      .resource_version = std::string(volume.metadata().resource_version)};
  TRY(unless_gone(client_.remove(place_of(volume_resource_, key), only)));
  volume_writes_.removed(key, volume);
  return {};
}

void Ledger::wrote_for(const client::Key& claim, const api::Object& volume) {
  volume_writes_.wrote(claim, volume);
}

void Ledger::tell(const api::Object& about, const Notice& notice) {
  const auto reference = client::ObjectReference::to(about);
  if (notice.warning) {
    events_.warning(reference, notice.reason, notice.message);
  } else {
    events_.normal(reference, notice.reason, notice.message);
  }
}

}  // namespace proa::controllers::storage
