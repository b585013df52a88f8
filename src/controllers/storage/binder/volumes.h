#pragma once

#include "client/informer/work_queue.h"
#include "controllers/storage/binder/ledger.h"

namespace proa::controllers::storage {

// Keeps the phases of volumes, undoes bindings that came to nothing, and reclaims volumes whose
// claims are gone. Safe to use from any thread, for different volumes.
class VolumeKeeper {
 public:
  // `ledger` outlives it.
  explicit VolumeKeeper(Ledger& ledger) : ledger_(ledger) {}

  Result<client::Again> reconcile(const client::Key& key);

 private:
  // The claim that the volume is bound to; null when that is gone.
  Result<api::ObjectPtr> claim_of(const kinds::VolumeFacts& volume) const;
  Result<client::Again> unbind(const api::ObjectPtr& volume);
  Result<client::Again> reclaim(api::ObjectPtr volume);
  Result<client::Again> fail(const api::ObjectPtr& volume, const Notice& notice);
  void tell_modes_differ(const api::Object& volume, const api::Object& claim);
  std::vector<std::string> users_of(const kinds::VolumeFacts& volume) const;

  Ledger& ledger_;
};

}  // namespace proa::controllers::storage
