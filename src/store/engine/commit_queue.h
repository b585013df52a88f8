#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/clock.h"
#include "base/threads/mutex.h"
#include "store/engine/watches.h"
#include "store/store.h"

namespace proa::store {

// A transaction, or a piece of the engine's own work, on its way through the queue.
struct CommitRequest {
  Txn txn;
  Durability durability = Durability::kSynced;
  std::function<void()> task;  // in place of the transaction
  CommitCallback done;         // without one somebody waits
  std::optional<Result<Committed>> outcome;

  enum State : int { kQueued, kSleeps, kLeads, kDone };
  std::atomic<int> state = kQueued;
};

// Whoever leads takes what has queued up and works it off as one batch, alone. A thread that waits
// for its own commit leads when nobody does, so a lone writer needs no other thread; what nobody
// waits for is led by the engine's thread. The lead is passed on before anybody is told of an
// outcome.
class CommitQueue {
 public:
  // Sets the outcomes and returns the watches to ring. One call at a time.
  using Process = std::function<WatchBells(std::span<CommitRequest* const> batch)>;

  explicit CommitQueue(Process process) : process_(std::move(process)) {}

  // REQUIRES: request->done is set.
  void submit(std::unique_ptr<CommitRequest> request) EXCLUDES(mutex_);
  // Returns when the request has been worked off.
  void run(CommitRequest& request) EXCLUDES(mutex_);
  // Works off what was submitted, unless somebody does already.
  void lead_if_idle() EXCLUDES(mutex_);

  enum class Work : uint8_t { kLed, kDue, kStop };
  // For the engine's thread: leads a batch, or comes back when the time set with wake_at() has
  // come, or when stop() was called and nothing is queued.
  Work work(Clock& clock) EXCLUDES(mutex_);
  // The earliest of the times asked for counts.
  void wake_at(Steady time) EXCLUDES(mutex_);
  // True once when that time has come.
  bool take_due(Steady now) EXCLUDES(mutex_);
  void stop() EXCLUDES(mutex_);

 private:
  void lead() EXCLUDES(mutex_);
  std::vector<CommitRequest*> take_batch() EXCLUDES(mutex_);
  void hand_over() EXCLUDES(mutex_);
  static void complete(CommitRequest* request);
  // For one that somebody waits for. It may be gone afterwards.
  static void tell(CommitRequest& request, CommitRequest::State state);

  const Process process_;
  Mutex mutex_;
  CondVar work_;
  std::deque<CommitRequest*> queue_ GUARDED_BY(mutex_);
  size_t waited_for_ GUARDED_BY(mutex_) = 0;  // of those in the queue, how many by a thread
  bool leading_ GUARDED_BY(mutex_) = false;
  bool stopping_ GUARDED_BY(mutex_) = false;
  Steady due_ GUARDED_BY(mutex_) = Steady::max();
};

}  // namespace proa::store
