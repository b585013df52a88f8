#pragma once

#include <deque>
#include <functional>
#include <string>
#include <unordered_map>

#include "base/threads/mutex.h"
#include "base/threads/pool.h"

namespace proa::scheduler {

// Writes to the API that the scheduler's thread does not wait for: several at once on the pool, but
// those about one pod one after the other, in the order in which they were posted. So a binding is
// never followed by an older word that the pod found no node. Safe to use from any thread.
class Outbox {
 public:
  // `most`: at once; enough of them that they share a commit.
  Outbox(WorkerPool& pool, size_t most) : pool_(pool), most_(most) {}
  // Waits for those that run; drops those that wait.
  ~Outbox();
  Outbox(const Outbox&) = delete;
  Outbox& operator=(const Outbox&) = delete;

  using Write = std::function<void()>;
  void post(std::string_view uid, Write write) EXCLUDES(mutex_);
  // The same, on a thread of its own: it may wait for long.
  void post_slow(std::string_view uid, Write write) EXCLUDES(mutex_);
  // Waiting and running.
  size_t size() const EXCLUDES(mutex_);

 private:
  struct Letter {
    std::string uid;
    Write write;
    bool slow = false;
  };

  void post(Letter letter) EXCLUDES(mutex_);
  void dispatch(Letter letter) EXCLUDES(mutex_);
  void start_task() EXCLUDES(mutex_);
  void work() EXCLUDES(mutex_);
  void run(Letter& letter) EXCLUDES(mutex_);

  WorkerPool& pool_;
  const size_t most_;
  mutable Mutex mutex_;
  CondVar idle_;
  std::deque<Letter> ready_ GUARDED_BY(mutex_);
  // Pods with a write that runs or is ready; and what waits behind it.
  std::unordered_map<std::string, std::deque<Letter>> busy_ GUARDED_BY(mutex_);
  size_t tasks_ GUARDED_BY(mutex_) = 0;
  size_t slow_tasks_ GUARDED_BY(mutex_) = 0;
  bool closed_ GUARDED_BY(mutex_) = false;
};

}  // namespace proa::scheduler
