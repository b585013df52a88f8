#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "store/engine/commit_queue.h"
#include "store/engine/journal.h"
#include "store/engine/state.h"
#include "store/engine/watches.h"
#include "store/mvcc/evaluate.h"
#include "store/store.h"

namespace proa::store {

struct EngineOptions {
  // The history window: changes are compacted that are older than this, beyond this number, or
  // beyond this many bytes of superseded values. Watchers that were disconnected for less resume
  // instead of relisting.
  Duration history_age = std::chrono::minutes(5);
  size_t history_changes = 100'000;
  size_t history_bytes = 64u << 20;
  // How long a lazy write, and a fleeting one, may stay in memory only.
  Duration lazy_delay = std::chrono::seconds(1);
  Duration fleeting_delay = std::chrono::minutes(5);
  // Revisions reserved at a time for lazy writes.
  int64_t reserve = 100'000;
  // If false, Engine::tick() does timed work, and committers lead their own commits: for the
  // simulation.
  bool own_thread = true;
  Evaluator::Limits limits;
};

// The store over a journal: group commit, lazy writes, expiry, compaction, watches.
class Engine final : public Store {
 public:
  // REQUIRES: `keyspace` and `facts` are the journal's content.
  Engine(Clock& clock, EngineOptions options, std::unique_ptr<Journal> journal, Keyspace keyspace,
         JournalFacts facts);
  ~Engine() override;

  using Store::get;
  void commit(Txn txn, Durability durability, CommitCallback done) override;
  Result<Committed> commit(Txn txn, Durability durability) override;
  Result<EntryPtr> get(std::string_view key, Revision at) const override;
  Result<RangeResult> range(const RangeQuery& query) const override;
  Result<size_t> count(const KeyRange& keys, Revision at) const override;
  Revision revision() const override;
  Result<std::unique_ptr<Watch>> watch(WatchOptions options) override;
  Result<void> compact(Revision revision) override;
  Result<void> checkpoint(const std::string& directory) override;
  StoreStats stats() const override;

  // Does the work that is due. REQUIRES: own_thread is false.
  void tick();

 private:
  // State that only the leader of the commit queue touches.
  struct LeaderState {
    JournalFacts facts;
    Revision written;  // the last one in the journal
    Revision durable;  // everything up to here survives a power loss
    // Applied and acknowledged, but not in the journal yet: lazy writes.
    std::vector<Event> unwritten;
    Steady write_by = Steady::max();
    bool lazy_since_reserve = false;
    bool aging = false;                            // a wake-up for the age of the history is set
    std::deque<std::pair<Steady, Revision>> ages;  // when each revision was the current one
    std::optional<Status> failed;                  // set: no more writes
    WatchNotifiers notifiers;
  };

  Result<void> as_leader(const std::function<Result<void>()>& task);
  WatchNotifiers process(std::span<CommitRequest* const> batch);
  void commit_batch(std::span<CommitRequest* const> batch);
  void apply(std::span<const Event> changes);
  // Writes `unwritten`; forget_unwritten() follows once it is applied, too.
  Result<void> write_unwritten(bool sync);
  void forget_unwritten();
  bool reserve_low(Revision last) const;
  Duration delay_of(Durability durability) const;
  Result<void> write(JournalWrite write);
  void after_changes(std::span<const Event> changes);

  void housekeep();
  void delete_expired(Time now);
  void wake_for_expiry();
  Revision outdated(Steady now);
  Duration aging_interval(size_t changes) const;
  Result<Revision> compact_some(Revision through);
  Result<RangeResult> range_by(const RangeQuery& query, size_t chunk) const;
  void work();

  Clock& clock_;
  const EngineOptions options_;
  const std::unique_ptr<Journal> journal_;
  EngineState state_;
  WatchRegistry registry_;
  LeaderState leader_;
  std::atomic<uint64_t> commits_ = 0;
  std::atomic<uint64_t> synced_writes_ = 0;
  CommitQueue queue_;
  std::jthread thread_;
};

}  // namespace proa::store
