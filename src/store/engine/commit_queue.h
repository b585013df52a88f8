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

// A queued transaction or internal task of the engine.
struct CommitRequest {
  Txn txn;
  Durability durability = Durability::kSynced;
  std::function<void()> task;  // instead of a transaction
  CommitCallback done;         // empty: a thread waits for it
  std::optional<Result<Committed>> outcome;

  enum State : int { kQueued, kSleeps, kLeads, kDone };
  std::atomic<int> state = kQueued;
};

// Group commit: the leader processes everything that is queued as one batch, alone. A thread that
// waits for its own commit becomes the leader if there is none, so a single writer needs no other
// thread; requests that no thread waits for are led by the engine's thread. Leadership is passed on
// before any outcome is reported.
class CommitQueue {
 public:
  // Sets the outcomes and returns the watches to notify. One call at a time.
  using Process = std::function<WatchNotifiers(std::span<CommitRequest* const> batch)>;

  explicit CommitQueue(Process process) : process_(std::move(process)) {}

  // REQUIRES: request->done is set.
  void submit(std::unique_ptr<CommitRequest> request) EXCLUDES(mutex_);
  // Returns when the request has been processed.
  void run(CommitRequest& request) EXCLUDES(mutex_);
  // Processes submitted requests, unless there is a leader already.
  void lead_if_idle() EXCLUDES(mutex_);

  enum class Work : uint8_t { kLed, kDue, kStop };
  // For the engine's thread: leads a batch, or returns when the time set with wake_at() has come,
  // or when stop() was called and the queue is empty.
  Work work(Clock& clock) EXCLUDES(mutex_);
  // The earliest requested time counts.
  void wake_at(Steady time) EXCLUDES(mutex_);
  // True once, when that time has come.
  bool take_due(Steady now) EXCLUDES(mutex_);
  void stop() EXCLUDES(mutex_);

 private:
  void lead() EXCLUDES(mutex_);
  std::vector<CommitRequest*> take_batch() EXCLUDES(mutex_);
  void hand_over() EXCLUDES(mutex_);
  static void complete(CommitRequest* request);
  // For a request that a thread waits for. It may be destroyed afterwards.
  static void tell(CommitRequest& request, CommitRequest::State state);

  const Process process_;
  Mutex mutex_;
  CondVar work_;
  std::deque<CommitRequest*> queue_ GUARDED_BY(mutex_);
  size_t waited_for_ GUARDED_BY(mutex_) = 0;  // queued requests that a thread waits for
  bool leading_ GUARDED_BY(mutex_) = false;
  bool stopping_ GUARDED_BY(mutex_) = false;
  Steady due_ GUARDED_BY(mutex_) = Steady::max();
};

}  // namespace proa::store
