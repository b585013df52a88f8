#pragma once

#include <functional>
#include <vector>

#include "store/etcd/cache/cache.h"
#include "store/etcd/client/etcd_client.h"
#include "store/etcd/follow/follower.h"

namespace proa::store::etcd {

// Consistent reads: asks etcd for its revision, once for all who ask meanwhile, and waits until the
// cache has it. Thread-safe.
class CatchUp {
 public:
  struct Parts {
    EtcdClient& client;
    Cache& cache;
    Follower& follower;
  };
  using Done = std::function<void(Result<void>)>;

  CatchUp(const Parts& parts, Duration timeout) : parts_(parts), timeout_(timeout) {}

  void ask(Done done) EXCLUDES(mutex_);

 private:
  void send();
  void answered(std::vector<Done> asked, const Result<Bytes>& answer) EXCLUDES(mutex_);

  const Parts parts_;
  const Duration timeout_;
  Mutex mutex_;
  // An answer is for those who asked before the question was sent.
  std::vector<Done> waiting_ GUARDED_BY(mutex_);
  bool asking_ GUARDED_BY(mutex_) = false;
};

}  // namespace proa::store::etcd
