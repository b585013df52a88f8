#pragma once

#include "client/informer/work_queue.h"
#include "controllers/storage/binder/ledger.h"

namespace proa::controllers::storage {

// Updates the phases of volumes, reverts incomplete bindings, and reclaims released volumes.
// Thread-safe for different volumes.
class VolumeKeeper {
 public:
  // `ledger` outlives it.
  explicit VolumeKeeper(Ledger& ledger) : ledger_(ledger) {}

  Result<client::Again> reconcile(const client::Key& key);

 private:
  // The claim of the claimRef; null if deleted.
  Result<api::ObjectPtr> claim_of(const kinds::VolumeFacts& volume) const;
  Result<client::Again> unbind(const api::ObjectPtr& volume);
  Result<client::Again> reclaim(api::ObjectPtr volume);
  Result<client::Again> fail(const api::ObjectPtr& volume, const Notice& notice);
  void tell_modes_differ(const api::Object& volume, const api::Object& claim);
  std::vector<api::PodKey> users_of(const kinds::VolumeFacts& volume) const;

  Ledger& ledger_;
};

}  // namespace proa::controllers::storage
