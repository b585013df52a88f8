#pragma once

#include <deque>
#include <functional>
#include <unordered_map>

#include "api/object/names.h"
#include "base/threads/mutex.h"
#include "base/threads/pool.h"

namespace proa::scheduler {

// API writes that the scheduler's thread does not wait for. Several run at once on the pool, but
// those of one pod run one after the other, in the order in which they were posted; so a binding is
// never followed by an older "unschedulable" condition. Thread-safe.
class Outbox {
 public:
  // `most`: maximum number of concurrent writes; enough of them to share a commit.
  Outbox(WorkerPool& pool, size_t most) : pool_(pool), most_(most) {}
  // Waits for running writes; drops queued ones.
  ~Outbox();
  Outbox(const Outbox&) = delete;
  Outbox& operator=(const Outbox&) = delete;

  using Write = std::function<void()>;
  void post(api::UidView uid, Write write) EXCLUDES(mutex_);
  // The same on a separate thread, for writes that may block for long.
  void post_slow(api::UidView uid, Write write) EXCLUDES(mutex_);
  // Queued and running writes.
  size_t size() const EXCLUDES(mutex_);

 private:
  struct PendingWrite {
    api::Uid uid;
    Write write;
    bool slow = false;
  };

  void post(PendingWrite pending) EXCLUDES(mutex_);
  void dispatch(PendingWrite pending) EXCLUDES(mutex_);
  void start_task() EXCLUDES(mutex_);
  void work() EXCLUDES(mutex_);
  void run(PendingWrite& pending) EXCLUDES(mutex_);

  WorkerPool& pool_;
  const size_t most_;
  mutable Mutex mutex_;
  CondVar idle_;
  std::deque<PendingWrite> ready_ GUARDED_BY(mutex_);
  // Pods with a running or ready write, and the writes queued behind it.
  std::unordered_map<api::Uid, std::deque<PendingWrite>> busy_ GUARDED_BY(mutex_);
  size_t tasks_ GUARDED_BY(mutex_) = 0;
  size_t slow_tasks_ GUARDED_BY(mutex_) = 0;
  bool closed_ GUARDED_BY(mutex_) = false;
};

}  // namespace proa::scheduler
