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
  // The history window: what is older than this, or more than that many changes, or more than that
  // many bytes of superseded values, is compacted. Watchers that were away shorter resume instead
  // of relisting.
  Duration history_age = std::chrono::minutes(5);
  size_t history_changes = 100'000;
  size_t history_bytes = 64u << 20;
  // How long a lazy write may stay in memory alone, and a fleeting one.
  Duration lazy_delay = std::chrono::seconds(1);
  Duration fleeting_delay = std::chrono::minutes(5);
  // Revisions reserved at a time for lazy writes.
  int64_t reserve = 100'000;
  // Without one, the work that waits for a time is done by Engine::tick(), and commits are led by
  // those who make them: for the simulation.
  bool own_thread = true;
  Evaluator::Limits limits;
};

// The store over a journal: group commit, lazy writes, expiry, compaction, watches.
class Engine final : public Store {
 public:
  // `keyspace` and `facts` are what the journal holds.
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

  // Does what is due by the clock. REQUIRES: own_thread is false.
  void tick();

 private:
  // What only the leader of the commit queue touches.
  struct LeaderState {
    JournalFacts facts;
    Revision written;  // the last one in the journal
    Revision durable;  // up to here everything survives a power loss
    // Applied and acknowledged, but not in the journal yet: lazy writes.
    std::vector<Event> unwritten;
    Steady write_by = Steady::max();
    bool lazy_since_reserve = false;
    bool aging = false;                            // a wake-up for the age of the history is set
    std::deque<std::pair<Steady, Revision>> ages;  // when which revision was the current one
    std::optional<Status> failed;                  // no write after this
    WatchBells bells;
  };

  Result<void> as_leader(const std::function<Result<void>()>& task);
  WatchBells process(std::span<CommitRequest* const> batch);
  void commit_batch(std::span<CommitRequest* const> batch);
  void apply(std::span<const Event> changes);
  // Writes what is unwritten; forget_unwritten() follows when it was applied too.
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
