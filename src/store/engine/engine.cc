#include "store/engine/engine.h"

#include <algorithm>

#include "store/engine/cursor.h"
#include "store/engine/reads.h"
#include "store/engine/scarce_space.h"

namespace proa::store {
namespace engine {

// Changes applied per lock acquisition.
constexpr size_t kApplyChunk = 64;
// Lazy writes go to the journal, without a sync, before there are more than this.
constexpr size_t kMaxUnwritten = 4096;

void fail_all(std::span<CommitRequest* const> batch, const Status& status) {
  for (CommitRequest* request : batch) request->outcome.emplace(status);
}

}  // namespace engine

Engine::Engine(Clock& clock, EngineOptions options, std::unique_ptr<Journal> journal,
               Keyspace keyspace, JournalFacts facts, const std::optional<Status>& failed)
    : clock_(clock),
      options_(std::move(options)),
      leader_(options_),
      queue_([this](std::span<CommitRequest* const> batch) { return process(batch); }),
      journal_(std::move(journal)) {
  {
    WriterLock lock(state_.mutex);
    state_.keyspace = std::move(keyspace);
    leader_.written = leader_.durable = state_.keyspace.revision();
    leader_.live_bytes = state_.keyspace.memory_bytes();
    leader_.aging = !state_.keyspace.history().empty();
    registry_.disarm({}, state_.keyspace.revision(), leader_.notifiers);
  }
  leader_.facts = std::move(facts);
  if (leader_.aging) {
    leader_.window.note(clock_.steady(), leader_.durable);
    queue_.wake_at(clock_.steady() + options_.history_age / 8);
  }
  wake_for_expiry();
  if (failed) static_cast<void>(fail(*failed));
  journal_->listen([this] { queue_.wake_at(clock_.steady()); });
  if (journal_->room() != Room::kEnough) queue_.wake_at(clock_.steady());
  if (options_.own_thread) thread_ = std::jthread([this] { work(); });
}

Engine::~Engine() {
  queue_.stop();
  if (thread_.joinable()) thread_.join();
  if (leader_.failed) return;
  // Only lazy writes can be lost here, and the journal's label says that it was not closed.
  if (write_unwritten(true).ok()) static_cast<void>(journal_->close(revision()));
}

void Engine::commit(Txn txn, Durability durability, CommitCallback done) {
  auto request = std::make_unique<CommitRequest>();
  request->txn = std::move(txn);
  request->durability = durability;
  request->done = std::move(done);
  queue_.submit(std::move(request));
  if (!options_.own_thread) queue_.lead_if_idle();
}

Result<Committed> Engine::commit(Txn txn, Durability durability) {
  CommitRequest request;
  request.txn = std::move(txn);
  request.durability = durability;
  queue_.run(request);
  return *std::move(request.outcome);
}

Result<EntryPtr> Engine::get(std::string_view key, Revision at) const {
  return read_entry(state_, key, at);
}

Result<RangeResult> Engine::range(const RangeQuery& query) const {
  return read_range(state_, query);
}

Result<size_t> Engine::count(const KeyRange& keys, Revision at) const {
  return count_keys(state_, keys, at);
}

Revision Engine::revision() const {
  ReaderLock lock(state_.mutex);
  return state_.keyspace.revision();
}

Result<std::unique_ptr<Watch>> Engine::watch(WatchOptions options) {
  {
    ReaderLock lock(state_.mutex);
    if (options.from == Revision{}) options.from = state_.keyspace.revision().next();
    TRY(state_.keyspace.watchable(options.from));
  }
  return std::make_unique<Cursor>(state_, registry_, clock_, std::move(options));
}

StoreStats Engine::stats() const {
  StoreStats stats{.watches = registry_.size(),
                   .commits = commits_.load(),
                   .synced_writes = synced_writes_.load(),
                   .disk_bytes = journal_->disk_bytes()};
  ReaderLock lock(state_.mutex);
  stats.revision = state_.keyspace.revision();
  stats.compacted = state_.keyspace.compacted();
  stats.keys = state_.keyspace.keys();
  stats.history = state_.keyspace.history().size();
  stats.memory_bytes = state_.keyspace.memory_bytes();
  return stats;
}

WatchNotifiers Engine::process(std::span<CommitRequest* const> batch) {
  if (batch.front()->task) {
    batch.front()->task();
  } else {
    commit_batch(batch);
  }
  return std::exchange(leader_.notifiers, {});
}

void Engine::commit_batch(std::span<CommitRequest* const> batch) {
  if (leader_.failed) {
    engine::fail_all(batch, *leader_.failed);
    return;
  }
  const Room room = journal_->room();
  std::vector<Event>& unwritten = leader_.unwritten;
  const size_t first_new = unwritten.size();
  bool sync = false;
  bool refused = false;
  uint64_t large = 0;  // bytes of this batch
  Duration delay = Duration::max();
  Revision last;
  {
    // Only the leader changes the state; the lock is for the compiler's analysis.
    ReaderLock lock(state_.mutex);
    leader_.live_bytes = state_.keyspace.memory_bytes();
    Evaluator evaluator(state_.keyspace, clock_.now(), options_.limits);
    for (CommitRequest* request : batch) {
      if (!has_room_for(request->txn, state_.keyspace, room, large)) {
        request->outcome.emplace(full_disk_status(journal_->disk()));
        refused = true;
        continue;
      }
      if (const Result<void> accepted = writable(request->txn); !accepted.ok()) {
        request->outcome.emplace(accepted.status());
        continue;
      }
      const size_t before = unwritten.size();
      request->outcome.emplace(evaluator.evaluate(request->txn, unwritten));
      const bool changed = unwritten.size() > before;
      if (!changed) continue;
      (request->durability == Durability::kSynced ? sync : leader_.lazy_since_reserve) = true;
      delay = std::min(delay, delay_of(request->durability));
    }
    last = evaluator.revision();
  }
  if (refused) note_full_disk();
  if (unwritten.size() == first_new) return;
  // A lazy write is visible before it is durable, so its revision must be reserved.
  if (last > leader_.facts.ceiling && leader_.lazy_since_reserve) sync = true;
  const bool full = unwritten.size() >= engine::kMaxUnwritten;
  if (sync || full) {
    const Result<void> written = write_unwritten(sync);
    if (!written.ok()) {
      engine::fail_all(batch, written.status());
      return;
    }
  }
  after_changes(std::span(unwritten).subspan(first_new));
  if (sync || full) {
    forget_unwritten();
  } else if (const Steady due = clock_.steady() + delay; due < leader_.write_by) {
    leader_.write_by = due;
    queue_.wake_at(due);
  }
  if (leader_.lazy_since_reserve && reserve_low(last)) queue_.wake_at(clock_.steady());
}

Result<void> Engine::writable(const Txn& txn) const {
  const ValueTransformer* transformer = journal_->transformer();
  if (transformer == nullptr) return {};
  for (const Operation& operation : txn.operations) {
    if (const Put* put = std::get_if<Put>(&operation)) TRY(transformer->writable(put->key));
  }
  return {};
}

bool Engine::has_room_for(const Txn& txn, const Keyspace& state, Room room, uint64_t& large) {
  const uint64_t bytes = large_bytes(txn);
  const bool enough = room == Room::kEnough;
  const bool too_large = enough && bytes > 0 && !journal_->has_room_for(large + bytes);
  if (enough && !too_large) {
    large += bytes;
    return true;
  }
  const bool fitting = fits(txn, state, enough ? Room::kReserve : room);
  if (too_large && !fitting) leader_.refused_at = clock_.steady();
  return fitting;
}

Duration Engine::delay_of(Durability durability) const {
  if (durability == Durability::kSynced) return Duration::zero();
  return durability == Durability::kLazy ? options_.lazy_delay : options_.fleeting_delay;
}

bool Engine::reserve_low(Revision last) const {
  return leader_.facts.ceiling.value - last.value < options_.reserve / 2;
}

void Engine::after_changes(std::span<const Event> changes) {
  apply(changes);
  registry_.disarm(changes, changes.back().entry->mod_revision(), leader_.notifiers);
  commits_ += static_cast<uint64_t>(changes.back().entry->mod_revision().value -
                                    changes.front().entry->mod_revision().value + 1);
  if (!leader_.aging) {
    leader_.aging = true;
    queue_.wake_at(clock_.steady() + options_.history_age / 8);
  }
  for (const Event& event : changes) {
    if (!event.entry->expiry()) continue;
    wake_for_expiry();
    break;
  }
}

void Engine::apply(std::span<const Event> changes) {
  size_t history = 0;
  size_t history_bytes = 0;
  while (!changes.empty()) {
    WriterLock lock(state_.mutex);
    for (size_t applied = 0; !changes.empty() && applied < engine::kApplyChunk;) {
      const Revision revision = changes.front().entry->mod_revision();
      size_t size = 1;
      while (size < changes.size() && changes[size].entry->mod_revision() == revision) ++size;
      state_.keyspace.apply(changes.first(size));
      changes = changes.subspan(size);
      applied += size;
    }
    history = state_.keyspace.history().size();
    history_bytes = state_.keyspace.history_bytes();
  }
  // Ten percent slack, so that each compaction is worth a write.
  if (history > options_.history_changes + options_.history_changes / 10 ||
      history_bytes > options_.history_bytes + options_.history_bytes / 10) {
    queue_.wake_at(clock_.steady());
  }
}

Result<void> Engine::write_unwritten(bool sync) {
  JournalFacts& facts = leader_.facts;
  JournalWrite write{.changes = leader_.unwritten, .sync = sync};
  const Revision last =
      write.changes.empty() ? leader_.written : write.changes.back().entry->mod_revision();
  // The reservation for lazy writes is renewed with a write that is synced anyway.
  if (sync && leader_.lazy_since_reserve && reserve_low(last)) {
    facts.ceiling = Revision{last.value + options_.reserve};
    leader_.lazy_since_reserve = false;
    write.facts = &facts;
  }
  return this->write(write);
}

void Engine::forget_unwritten() {
  leader_.unwritten.clear();
  leader_.write_by = Steady::max();
}

Result<void> Engine::write(JournalWrite write) {
  write.durable = leader_.durable;
  write.live_bytes = leader_.live_bytes;
  const Result<void> written = journal_->write(write);
  if (!written.ok()) return fail(written.status());
  if (!write.changes.empty()) leader_.written = write.changes.back().entry->mod_revision();
  if (write.sync) {
    leader_.durable = leader_.written;
    ++synced_writes_;
  }
  return {};
}

}  // namespace proa::store
