#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "store/etcd/cache/cache.h"
#include "store/etcd/cache/stored_form.h"
#include "store/etcd/client/etcd_client.h"
#include "store/etcd/commit/leases.h"
#include "store/etcd/health.h"
#include "store/mvcc/evaluate.h"

namespace proa::store::etcd {

// Commits as transactions of etcd, any number at a time and without a thread for any: each is
// answered when the cache has its revision. Thread-safe.
class Committer {
 public:
  struct Parts {
    EtcdClient& client;
    const StoredForm& form;
    Cache& cache;
    Leases& leases;
    Health& health;
  };

  Committer(const Parts& parts, const Evaluator::Limits& limits, Duration timeout)
      : parts_(parts), limits_(limits), timeout_(timeout) {}

  void commit(Txn txn, CommitCallback done);
  uint64_t commits() const { return commits_.load(); }

 private:
  struct Pending;
  using PendingPtr = std::shared_ptr<Pending>;

  Result<void> prepare(Pending& pending) const;
  void acquire_leases(PendingPtr pending, size_t from);
  void send(PendingPtr pending);
  void answered(const PendingPtr& pending, const Result<Bytes>& answer);
  void finish(const Pending& pending, Committed outcome, const std::vector<int64_t>& deleted);
  EntryPtr entry_of(const Operation& operation, Revision at, int64_t deleted) const;

  const Parts parts_;
  const Evaluator::Limits limits_;
  const Duration timeout_;
  std::atomic<uint64_t> commits_ = 0;
};

}  // namespace proa::store::etcd
