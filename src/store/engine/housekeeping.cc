// The engine's timed work: expiry, lazy writes, compaction.
#include <algorithm>

#include "store/engine/engine.h"

namespace proa::store {
namespace housekeeping {

// Keys expired, and changes compacted, before commits get their turn again.
constexpr size_t kExpireChunk = 1024;
constexpr size_t kCompactChunk = 4096;
// The calendar may be changed while we wait.
constexpr Duration kMaxWait = std::chrono::minutes(10);

}  // namespace housekeeping

void Engine::work() {
  for (;;) {
    switch (queue_.work(clock_)) {
      case CommitQueue::Work::kLed:
        break;
      case CommitQueue::Work::kDue: {
        CommitRequest request;
        request.task = [this] { housekeep(); };
        queue_.run(request);
        break;
      }
      case CommitQueue::Work::kStop:
        return;
    }
  }
}

void Engine::tick() {
  // Each round schedules the next one if there is more to do.
  while (queue_.take_due(clock_.steady())) {
    CommitRequest request;
    request.task = [this] { housekeep(); };
    queue_.run(request);
  }
}

Result<void> Engine::as_leader(const std::function<Result<void>()>& task) {
  Result<void> result;
  CommitRequest request;
  request.task = [&] { result = leader_.failed ? Result<void>(*leader_.failed) : task(); };
  queue_.run(request);
  return result;
}

void Engine::housekeep() {
  if (const std::optional<Status> trouble = journal_->trouble(); trouble && !leader_.failed) {
    static_cast<void>(fail(*trouble));
  }
  if (leader_.failed && !recover()) return;
  watch_reserves();
  if (leader_.failed) return;
  const Steady now = clock_.steady();
  delete_expired(clock_.now());
  if (leader_.failed) return;
  const bool lazies = !leader_.unwritten.empty();
  if (lazies && now >= leader_.write_by) {
    if (!write_unwritten(false).ok()) return;
    forget_unwritten();
  } else if (lazies) {
    queue_.wake_at(leader_.write_by);
  }
  if (leader_.lazy_since_reserve && reserve_low(revision())) {
    if (!write_unwritten(true).ok()) return;
    forget_unwritten();
  }
  const Revision target = outdated(now);
  if (target > leader_.facts.compacted) {
    const Result<Revision> reached = compact_some(target);
    if (!reached.ok()) return;
    if (*reached < target) {
      queue_.wake_at(now);
    } else if (is_quiet()) {
      journal_->rest();
    }
  }
  wake_for_expiry();
}

void Engine::delete_expired(Time now) {
  std::vector<EntryPtr> expired;
  {
    ReaderLock lock(state_.mutex);
    expired = state_.keyspace.expired(now, housekeeping::kExpireChunk);
  }
  if (expired.empty()) return;
  // Ordinary lazy commits, one per key, as if a client had deleted each.
  std::vector<CommitRequest> requests(expired.size());
  std::vector<CommitRequest*> batch;
  for (size_t i = 0; i < expired.size(); ++i) {
    requests[i].txn.operations.push_back(Delete{Key(expired[i]->key())});
    requests[i].durability = Durability::kLazy;
    batch.push_back(&requests[i]);
  }
  commit_batch(batch);
}

void Engine::wake_for_expiry() {
  EntryPtr next;
  {
    ReaderLock lock(state_.mutex);
    next = state_.keyspace.next_to_expire();
  }
  if (next == nullptr) return;
  const Duration wait = std::clamp<Duration>(*next->expiry() - clock_.now(), Duration::zero(),
                                             housekeeping::kMaxWait);
  queue_.wake_at(clock_.steady() + wait);
}

Revision Engine::outdated(Steady now) {
  ReaderLock lock(state_.mutex);
  const Revision target = leader_.window.outdated(state_.keyspace, now);
  leader_.aging = leader_.window.is_aging(state_.keyspace);
  if (leader_.aging) queue_.wake_at(now + leader_.window.interval(state_.keyspace));
  return target;
}

bool Engine::is_quiet() const {
  ReaderLock lock(state_.mutex);
  return HistoryWindow::is_quiet(state_.keyspace);
}

// Compacts a part of the history; returns how far it got.
Result<Revision> Engine::compact_some(Revision through) {
  // A version may be removed only if the one that superseded it is durable.
  if (through > leader_.durable) {
    TRY(write_unwritten(true));
    forget_unwritten();
  }
  JournalFacts& facts = leader_.facts;
  {
    WriterLock lock(state_.mutex);
    facts.compacted =
        state_.keyspace.compact(through, housekeeping::kCompactChunk, leader_.garbage);
    facts.gaps = state_.keyspace.gaps();
    leader_.live_bytes = state_.keyspace.memory_bytes();
  }
  TRY(write({.garbage = leader_.garbage, .facts = &facts}));
  leader_.garbage.clear();
  return facts.compacted;
}

Result<void> Engine::compact(Revision revision) {
  bool done = false;
  const auto some = [&]() -> Result<void> {
    {
      ReaderLock lock(state_.mutex);
      const bool future = revision > state_.keyspace.revision();
      if (future) return Status(Reason::kBadRequest, "cannot compact a future revision");
      done = revision <= state_.keyspace.compacted();
    }
    if (!done) done = TRY(compact_some(revision)) >= revision;
    return {};
  };
  while (!done) TRY(as_leader(some));
  return {};
}

Result<void> Engine::checkpoint(const std::string& directory) {
  const auto write_all = [this]() -> Result<void> {
    TRY(write_unwritten(true));
    forget_unwritten();
    return {};
  };
  TRY(as_leader(write_all));
  return journal_->checkpoint(directory);
}

}  // namespace proa::store
