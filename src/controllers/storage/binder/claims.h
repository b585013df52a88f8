#pragma once

#include <set>
#include <string>

#include "base/threads/mutex.h"
#include "client/informer/work_queue.h"
#include "controllers/storage/binder/ledger.h"

namespace proa::controllers::storage {

// Finds and binds volumes for claims: first the volume gets its claimRef, then the claim its
// volumeName. After an interruption the volume is reserved for its claim and found by that. No
// volume is bound twice, since writes are conditional on its resourceVersion. Thread-safe for
// different claims.
class ClaimBinder {
 public:
  // `ledger` outlives it.
  explicit ClaimBinder(Ledger& ledger) : ledger_(ledger) {}

  Result<client::Again> reconcile(const client::Key& key);

 private:
  // Reserves a volume in memory, so that concurrent reconciles do not choose it and conflict.
  class Taken {
   public:
    Taken(ClaimBinder& binder, api::ObjectPtr volume)
        : binder_(binder), volume_(std::move(volume)) {}
    ~Taken() { binder_.put_back(volume_); }
    Taken(const Taken&) = delete;
    Taken& operator=(const Taken&) = delete;
    const api::ObjectPtr& volume() const { return volume_; }

   private:
    ClaimBinder& binder_;
    const api::ObjectPtr volume_;
  };

  api::ObjectPtr take_match(const kinds::ClaimFacts& claim, bool delayed) EXCLUDES(mutex_);
  void put_back(const api::ObjectPtr& volume) EXCLUDES(mutex_);
  ClaimState look(const kinds::ClaimFacts& claim, const kinds::ClassFacts* its_class,
                  const api::ObjectPtr& volume) const;
  Result<client::Again> act(const api::ObjectPtr& claim, const api::ObjectPtr& volume,
                            const ClaimPlan& plan, const kinds::ClassFacts* its_class);
  Result<client::Again> bind(api::ObjectPtr claim, api::ObjectPtr volume);
  Result<client::Again> wait(const api::ObjectPtr& claim, const ClaimPlan& plan);
  Result<client::Again> give_class(const api::ObjectPtr& claim);
  Result<client::Again> provision(const api::ObjectPtr& claim, const std::string& provisioner,
                                  const ClaimPlan& plan);
  Result<client::Again> lose(const api::ObjectPtr& claim, const ClaimPlan& plan);

  Ledger& ledger_;
  Mutex mutex_;
  std::set<std::string> taken_ GUARDED_BY(mutex_);  // names of reserved volumes
};

}  // namespace proa::controllers::storage
