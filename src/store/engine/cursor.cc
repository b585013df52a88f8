#include "store/engine/cursor.h"

#include <algorithm>

namespace proa::store {
namespace cursor {

// Changes read per lock acquisition: some tens of microseconds.
constexpr size_t kChunk = 1024;

}  // namespace cursor

Cursor::Cursor(const EngineState& state, WatchRegistry& registry, Clock& clock,
               WatchOptions options)
    : state_(state),
      registry_(registry),
      clock_(clock),
      notifier_(std::make_shared<WatchNotifier>(std::move(options.prefix), options.exact,
                                                std::move(options.wake))),
      next_(options.from) {
  registry_.add(notifier_);
}

Cursor::~Cursor() {
  registry_.remove(notifier_);
  notifier_->close();
}

Result<WatchBatch> Cursor::next(size_t max) {
  // No notification since the end was reached, so no watched key changed up to the announced
  // revision.
  const Revision announced = registry_.announced();
  WatchBatch batch;
  if (notifier_->armed()) {
    next_ = std::max(next_, announced.next());
    batch.progress = next_.previous();
    return batch;
  }
  next_ = std::max(next_, notifier_->quiet().next());
  while (!TRY(read_some(std::max<size_t>(max, 1), batch))) {
    if (batch.events.size() >= max) break;
  }
  return batch;
}

Result<bool> Cursor::read_some(size_t max, WatchBatch& batch) {
  ReaderLock lock(state_.mutex);
  const Keyspace& keyspace = state_.keyspace;
  TRY(keyspace.watchable(next_));
  const std::deque<Event>& history = keyspace.history();
  size_t looked_at = 0;
  for (size_t at = keyspace.history_index(next_); at < history.size(); ++at, ++looked_at) {
    const Event& event = history[at];
    const Revision revision = event.entry->mod_revision();
    const bool new_commit = revision >= next_;
    if (new_commit && (batch.events.size() >= max || looked_at >= cursor::kChunk)) {
      batch.progress = next_.previous();
      return false;
    }
    next_ = revision.next();
    if (notifier_->concerns(event.entry->key())) batch.events.push_back(event);
  }
  next_ = std::max(next_, keyspace.revision().next());
  batch.progress = keyspace.revision();
  notifier_->arm();
  return true;
}

bool Cursor::wait(const Until& until) { return notifier_->wait(clock_, until); }

}  // namespace proa::store
