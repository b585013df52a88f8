// The engine's health: recovery from failed writes, and a full disk.
#include "base/log.h"
#include "store/engine/engine.h"
#include "store/engine/scarce_space.h"

namespace proa::store {
namespace recovery {

const Log kLog{"store"};

// How often a journal that failed is reopened, and a full disk looked at.
constexpr Duration kRetryInterval = std::chrono::seconds(1);
// Reclaiming reads and writes everything.
constexpr Duration kReclaimInterval = std::chrono::seconds(2);
// How long a store that refused a large write for lack of space calls its disk full: it may have
// room for small ones, and the next large one may fit.
constexpr Duration kRefusalCounts = std::chrono::seconds(5);

Status refusal(const Status& why) {
  if (why.is(Reason::kInsufficientStorage)) {
    return {Reason::kInsufficientStorage,
            "the disk with the data directory is full, and no write is accepted until there is "
            "space again; free some on that disk: " +
                why.message()};
  }
  return {Reason::kServiceUnavailable,
          "the store cannot be written, and tries again every second: " + why.message()};
}

}  // namespace recovery

// After this, what is applied is in the history, and the rest of `unwritten` was refused.
Status Engine::fail(const Status& why) {
  leader_.failed = recovery::refusal(why);
  forget_unwritten();
  queue_.wake_at(clock_.steady() + recovery::kRetryInterval);
  report_health();
  return *leader_.failed;
}

bool Engine::recover() {
  const Result<void> rewritten = rewrite();
  if (!rewritten.ok()) {
    static_cast<void>(fail(rewritten.status()));
    return false;
  }
  leader_.failed.reset();
  report_health();
  return true;
}

// Reopens the journal and writes what it lacks: lazy writes, and what a failed sync lost.
Result<void> Engine::rewrite() {
  const Revision held = std::max(TRY(journal_->reopen()), leader_.facts.compacted);
  std::vector<Event> missing;
  Revision current;
  {
    ReaderLock lock(state_.mutex);
    const std::deque<Event>& history = state_.keyspace.history();
    const size_t first = state_.keyspace.history_index(held.next());
    missing.assign(history.begin() + static_cast<std::ptrdiff_t>(first), history.end());
    current = state_.keyspace.revision();
  }
  TRY(journal_->write({.changes = missing,
                       .garbage = leader_.garbage,
                       .facts = &leader_.facts,
                       .durable = std::min(held, leader_.durable),
                       .live_bytes = leader_.live_bytes,
                       .sync = true}));
  leader_.garbage.clear();
  leader_.written = leader_.durable = current;
  ++synced_writes_;
  return {};
}

// REQUIRES: the journal can be written.
void Engine::watch_reserves() {
  if (journal_->room() != Room::kEnough || journal_->is_pressed()) {
    reclaim();
    if (leader_.failed) return;
  }
  const Steady now = clock_.steady();
  const bool counts = leader_.refused_at && now - *leader_.refused_at < recovery::kRefusalCounts;
  if (!counts) leader_.refused_at.reset();
  if (!journal_->restore_reserves() || counts) queue_.wake_at(now + recovery::kRetryInterval);
  report_health();
}

// Drops the history, which watchers that keep up do not need, and then the garbage on disk.
void Engine::reclaim() {
  const Steady now = clock_.steady();
  const Revision current = revision();
  const bool recently =
      leader_.reclaimed_at && now - *leader_.reclaimed_at < recovery::kReclaimInterval;
  if (current == leader_.reclaimed || recently) return;
  while (leader_.facts.compacted < current) {
    if (!compact_some(current).ok()) return;
  }
  {
    ReaderLock lock(state_.mutex);
    leader_.live_bytes = state_.keyspace.memory_bytes();
  }
  if (journal_->reclaim(leader_.live_bytes)) leader_.reclaimed = current;
  leader_.reclaimed_at = now;
}

// The journal need not have noticed yet.
void Engine::note_full_disk() {
  report_health();
  queue_.wake_at(clock_.steady() + recovery::kRetryInterval);
}

void Engine::report_health() {
  StoreHealth now;
  if (leader_.failed) {
    now = {.state = StoreHealth::State::kFailed,
           .cause = leader_.failed->message(),
           .disk_full = leader_.failed->is(Reason::kInsufficientStorage)};
  } else if (journal_->room() != Room::kEnough || leader_.refused_at) {
    now = {.state = StoreHealth::State::kFull,
           .cause = full_disk_status(journal_->disk()).message(),
           .disk_full = true};
  }
  {
    MutexLock lock(health_mutex_);
    const bool changed = now.state != health_.state;
    health_ = now;
    if (!changed) return;
  }
  if (now.ok()) {
    recovery::kLog.info("the store accepts all writes again");
  } else {
    recovery::kLog.error(now.state == StoreHealth::State::kFull ? "the store's disk is full"
                                                                : "the store cannot be written",
                         {{"cause", now.cause}});
  }
  if (options_.health_changed) options_.health_changed(now);
}

StoreHealth Engine::health() const {
  StoreHealth health;
  {
    MutexLock lock(health_mutex_);
    health = health_;
  }
  health.disk = journal_->disk();
  return health;
}

}  // namespace proa::store
