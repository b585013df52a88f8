#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "store/etcd/cache/cache.h"
#include "store/etcd/cache/stored_form.h"
#include "store/etcd/client/etcd_client.h"
#include "store/etcd/commit/leases.h"
#include "store/etcd/commit/lost_answers.h"
#include "store/etcd/commit/pending_commit.h"
#include "store/etcd/upkeep/space_alarm.h"
#include "store/mvcc/evaluate.h"

namespace proa::store::etcd {

// Commits as transactions of etcd, any number at a time and without a thread for any: each is
// answered when the cache has its revision. One whose answer is lost is looked up, and sent again
// if it did not take place. Thread-safe.
class Committer {
 public:
  struct Parts {
    EtcdClient& client;
    const StoredForm& form;
    Cache& cache;
    Leases& leases;
    SpaceAlarm& alarm;
    Random& random;
  };
  // What a transaction has besides a commit's operations: the marker, and the fence.
  static constexpr size_t kOwnOperations = 1;

  Committer(const Parts& parts, const Evaluator::Limits& limits, Duration timeout);

  void commit(Txn txn, CommitCallback done);
  uint64_t commits() const { return commits_.load(); }
  // No answers are looked up any more: they are said to be unknown. Before the client is stopped.
  void stop() { lost_.stop(); }

 private:
  Result<void> prepare(PendingCommit& pending) const;
  void acquire_leases(PendingPtr pending, size_t from);
  void acquire_marker(PendingPtr pending);
  void send(PendingPtr pending, int64_t marker_lease) EXCLUDES(mutex_);
  void answered(const PendingPtr& pending, const Result<Bytes>& answer);
  void failed(const PendingPtr& pending, const Status& failure);
  void send_again(const PendingPtr& pending);
  void found(const PendingPtr& pending, const Result<std::optional<Revision>>& outcome);
  void finish(const PendingPtr& pending, const Committed& outcome, std::vector<int64_t> deleted);
  EntryPtr entry_of(const Operation& operation, Revision at, int64_t deleted) const;
  std::shared_ptr<const Session> new_session() const;

  const Parts parts_;
  const Evaluator::Limits limits_;
  const Duration timeout_;
  std::atomic<uint64_t> commits_ = 0;
  Mutex mutex_;
  std::shared_ptr<const Session> session_ GUARDED_BY(mutex_);
  uint64_t last_number_ GUARDED_BY(mutex_) = 0;
  LostAnswers lost_;
};

}  // namespace proa::store::etcd
