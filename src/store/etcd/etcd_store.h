#pragma once

#include <memory>

#include "base/clock.h"
#include "base/random.h"
#include "store/etcd/options.h"
#include "store/store.h"

namespace proa::store {

// A store on an etcd cluster, which other servers may write too: one copy of its live set in
// memory, kept by one watch. Commits that are in flight together may take place in any order, and
// all are as durable as etcd's writes.
class EtcdStore : public Store {
 public:
  // Does the work that is due. REQUIRES: engine.own_thread is false.
  virtual void tick() = 0;
};

// Waits for etcd, and for its state. kForbidden if values cannot be read with this transformer.
Result<std::unique_ptr<EtcdStore>> open_etcd_store(Clock& clock, Random& random,
                                                   const EtcdOptions& options);

}  // namespace proa::store
