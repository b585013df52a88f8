#pragma once

#include <functional>
#include <map>
#include <span>
#include <vector>

#include "base/clock.h"
#include "store/engine/history_window.h"
#include "store/engine/state.h"
#include "store/engine/watches.h"
#include "store/store.h"

namespace proa::store::etcd {

// The live set and the history window, as the changes that etcd reports make them. Its revision is
// the last one of which all changes are in it. Changes are applied by one thread at a time; the
// rest is thread-safe.
class Cache {
 public:
  // Runs on the thread that applies changes, or on the caller's; must not block.
  using Reached = std::function<void(Result<void>)>;

  // `waiting`: called when something waits after nothing did; must not block.
  Cache(Clock& clock, const HistoryLimits& limits, std::function<void()> waiting)
      : clock_(clock), waiting_(std::move(waiting)), window_(limits) {}

  const EngineState& state() const { return state_; }
  WatchRegistry& registry() { return registry_; }
  const WatchRegistry& registry() const { return registry_; }
  Revision revision() const;

  // All of the state at a revision, in any order. REQUIRES: nothing was loaded or applied before.
  void load(std::vector<EntryPtr> entries, Revision at);
  // Changes in order, whole revisions only; nothing else changed up to `through`.
  void apply(std::span<const EntryPtr> changes, Revision through);
  // All of the state at a later revision; what happened in between is not known.
  void replace(std::vector<EntryPtr> entries, Revision at);

  // Calls back once reads see this revision; a failure if `deadline` passes first, or fail_all() is
  // called.
  void when_reached(Revision revision, Steady deadline, Reached done) EXCLUDES(mutex_);
  bool has_waiters() const EXCLUDES(mutex_);
  void fail_waiters(Steady now, const Status& why) EXCLUDES(mutex_);

  // The change of a key at a revision that was reached: null if there was none, or the window is
  // beyond it.
  EntryPtr find_change(std::string_view key, Revision at) const;
  // Drops history up to there. kBadRequest if it is in the future.
  Result<void> compact(Revision through);
  // Drops the history that is outdated; returns when to look again, or the end of time.
  Steady housekeep();

 private:
  struct Waiter {
    Steady deadline;
    Reached done;
  };

  void announce(std::span<const Event> changes, Revision through) EXCLUDES(mutex_);
  std::vector<Event> changes_to(std::vector<EntryPtr> entries, Revision at) const;

  Clock& clock_;
  const std::function<void()> waiting_;
  EngineState state_;
  WatchRegistry registry_;
  HistoryWindow window_ GUARDED_BY(state_.mutex);
  mutable Mutex mutex_;
  std::multimap<Revision, Waiter> waiters_ GUARDED_BY(mutex_);
};

}  // namespace proa::store::etcd
