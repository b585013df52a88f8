#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "store/engine/commit_queue.h"
#include "store/engine/history_window.h"
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
  // Called when the health changes, on a thread of the store. Must neither block nor call the
  // store.
  std::function<void(const StoreHealth&)> health_changed = nullptr;
  Evaluator::Limits limits;
};

// The store over a journal: group commit, lazy writes, expiry, compaction, watches. After a failed
// write it refuses others and reopens the journal, once a second until that succeeds.
class Engine final : public Store {
 public:
  // REQUIRES: `keyspace` and `facts` are the journal's content. `failed`: the journal can only be
  // read, until it is reopened.
  Engine(Clock& clock, EngineOptions options, std::unique_ptr<Journal> journal, Keyspace keyspace,
         JournalFacts facts, const std::optional<Status>& failed = std::nullopt);
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
  Result<void> set_transformer(std::shared_ptr<const ValueTransformer> transformer) override
      EXCLUDES(forms_mutex_);
  Result<void> reencode(const ReencodeObserver& observe, const std::stop_token& stop) override
      EXCLUDES(forms_mutex_);
  StoreHealth health() const override EXCLUDES(health_mutex_);
  std::string id() const override { return journal_->id(); }

  // Does the work that is due. REQUIRES: own_thread is false.
  void tick();

 private:
  // State that only the leader of the commit queue touches.
  struct LeaderState {
    explicit LeaderState(const EngineOptions& options)
        : window({options.history_age, options.history_changes, options.history_bytes}) {}

    JournalFacts facts;
    Revision written;  // the last one in the journal
    Revision durable;  // everything up to here survives a power loss
    // Applied and acknowledged, but not in the journal yet: lazy writes.
    std::vector<Event> unwritten;
    Steady write_by = Steady::max();
    bool lazy_since_reserve = false;
    uint64_t live_bytes = 0;  // about
    bool aging = false;       // a wake-up for the age of the history is set
    HistoryWindow window;
    std::vector<EntryPtr> garbage;  // compacted, but in the journal still
    std::optional<Status> failed;   // set: no writes until the journal is reopened
    Revision reclaimed;             // the last one when space was reclaimed
    std::optional<Steady> reclaimed_at;
    std::optional<Steady> refused_at;  // when there was last room, but not for so large a write
    WatchNotifiers notifiers;
  };

  Result<void> as_leader(const std::function<Result<void>()>& task);
  WatchNotifiers process(std::span<CommitRequest* const> batch);
  void commit_batch(std::span<CommitRequest* const> batch);
  // Whether the values can have their form on disk now.
  Result<void> writable(const Txn& txn) const;
  // `large`: bytes of large values in the same batch, to which its own are added.
  bool has_room_for(const Txn& txn, const Keyspace& state, Room room, uint64_t& large);
  void apply(std::span<const Event> changes);
  // Writes `unwritten`; forget_unwritten() follows once it is applied, too.
  Result<void> write_unwritten(bool sync);
  void forget_unwritten();
  bool reserve_low(Revision last) const;
  Duration delay_of(Durability durability) const;
  Result<void> write(JournalWrite write);
  void after_changes(std::span<const Event> changes);

  // Health: recovery.cc.
  Status fail(const Status& why);
  bool recover();
  Result<void> rewrite();
  void watch_reserves();
  void reclaim();
  void note_full_disk() EXCLUDES(health_mutex_);
  void report_health() EXCLUDES(health_mutex_);

  // Values on disk: reencode.cc.
  Result<void> reencode_all(ReencodeProgress& progress, const ReencodeObserver& observe,
                            const std::stop_token& stop);
  Result<Reencoded> reencode_some(const std::string& from);
  EntryPtr find_change(std::string_view key, Revision revision) const;

  void housekeep();
  void delete_expired(Time now);
  void wake_for_expiry();
  Revision outdated(Steady now);
  bool is_quiet() const;
  Result<Revision> compact_some(Revision through);
  void work();

  Clock& clock_;
  const EngineOptions options_;
  EngineState state_;
  WatchRegistry registry_;
  LeaderState leader_;
  std::atomic<uint64_t> commits_ = 0;
  std::atomic<uint64_t> synced_writes_ = 0;
  // Held while the form of values on disk changes, since that takes several steps.
  Mutex forms_mutex_;
  mutable Mutex health_mutex_;
  StoreHealth health_ GUARDED_BY(health_mutex_);
  CommitQueue queue_;
  // Destroyed before the queue, which its threads wake.
  const std::unique_ptr<Journal> journal_;
  std::jthread thread_;
};

}  // namespace proa::store
