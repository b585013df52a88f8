#include "controllers/storage/binder/volumes.h"

#include "controllers/pods/pod_facts.h"
#include "controllers/storage/binder/edits.h"
#include "controllers/storage/pod_claims.h"

namespace proa::controllers::storage {

using client::Again;

Result<Again> VolumeKeeper::reconcile(const client::Key& key) {
  const api::ObjectPtr volume = ledger_.volumes().cache().get(key);
  if (volume == nullptr) {
    ledger_.forget(key);
    return Again{};
  }
  if (!ledger_.is_up_to_date(key)) return Again{};
  const kinds::VolumeFacts& facts = kinds::volume_facts(*volume);
  const api::ObjectPtr claim = TRY(claim_of(facts));
  switch (plan_volume(facts, claim == nullptr ? nullptr : &kinds::claim_facts(*claim))) {
    case VolumeStep::kOffer:
      TRY(ledger_.change_volume_phase(volume, "Available"));
      break;
    case VolumeStep::kKeep:
      TRY(ledger_.change_volume_phase(volume, "Bound"));
      break;
    case VolumeStep::kReclaim:
      return reclaim(volume);
    case VolumeStep::kUnbind:
      return unbind(volume);
    case VolumeStep::kTell:
      tell_modes_differ(*volume, *claim);
      break;
    case VolumeStep::kLeave:
      break;
  }
  return Again{};
}

Result<api::ObjectPtr> VolumeKeeper::claim_of(const kinds::VolumeFacts& volume) const {
  if (!volume.claim || volume.claim->uid.empty()) return api::ObjectPtr();
  const client::Key key{volume.claim->name_space, volume.claim->name};
  const api::ObjectPtr known = ledger_.claims().cache().get(key);
  if (known != nullptr && known->metadata().uid == volume.claim->uid) return known;
  // An earlier reconcile found it deleted.
  if (known == nullptr && volume.is_released()) return api::ObjectPtr();
  // A volume is reclaimed when its claim is gone, so a stale cache is not enough.
  api::ObjectPtr now = TRY(ledger_.claim_now(key));
  if (now != nullptr && now->metadata().uid != volume.claim->uid) now = nullptr;
  return now;
}

Result<Again> VolumeKeeper::unbind(const api::ObjectPtr& volume) {
  const api::ObjectPtr free = TRY(ledger_.change_volume(volume, unbind_volume));
  TRY(ledger_.change_volume_phase(free, "Available"));
  return Again{};
}

Result<Again> VolumeKeeper::reclaim(api::ObjectPtr volume) {
  // The phase Failed is kept.
  if (!kinds::volume_facts(*volume).is_released()) {
    volume = TRY(ledger_.change_volume_phase(volume, "Released"));
  }
  const kinds::VolumeFacts& facts = kinds::volume_facts(*volume);
  const ReclaimPlan plan = plan_reclaim(facts, users_of(facts));
  switch (plan.step) {
    case Reclaim::kNothing:
      if (plan.notice) ledger_.tell(*volume, *plan.notice);
      return Again{};
    case Reclaim::kFail:
      return fail(volume, *plan.notice);
    case Reclaim::kDelete:
      if (!facts.being_deleted) TRY(ledger_.remove_volume(*volume));
      return Again{};
  }
  return Again{};
}

Result<Again> VolumeKeeper::fail(const api::ObjectPtr& volume, const Notice& notice) {
  if (kinds::volume_facts(*volume).phase == "Failed") return Again{};
  TRY(ledger_.change_volume_phase(volume, "Failed", notice.message));
  ledger_.tell(*volume, notice);
  return Again{};
}

void VolumeKeeper::tell_modes_differ(const api::Object& volume, const api::Object& claim) {
  const auto quoted = [](const api::Object& object) {
    return "\"" + std::string(object.metadata().name) + "\"";
  };
  ledger_.tell(volume, {true, "VolumeMismatch",
                        "Cannot bind PersistentVolume to requested PersistentVolumeClaim " +
                            quoted(claim) + " due to incompatible volumeMode."});
  ledger_.tell(claim, {true, "VolumeMismatch",
                       "Cannot bind PersistentVolume " + quoted(volume) +
                           " to requested PersistentVolumeClaim due to incompatible volumeMode."});
}

std::vector<api::PodKey> VolumeKeeper::users_of(const kinds::VolumeFacts& volume) const {
  const client::Key claim{volume.claim->name_space, volume.claim->name};
  // Another claim of the same name exists; the pods use that one.
  if (ledger_.claims().cache().get(claim) != nullptr) return {};
  std::vector<api::PodKey> users;
  for (const api::ObjectPtr& pod : ledger_.pods_using(claim)) {
    if (!pod_claims(*pod).terminated) users.push_back(pod_key(*pod));
  }
  return users;
}

}  // namespace proa::controllers::storage
