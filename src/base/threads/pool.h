#pragma once

#include <deque>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/threads/mutex.h"

namespace proa {

// Worker threads for blocking code. A thread is started when work is queued and no thread is idle,
// up to the bound; threads that are idle for a while end. A task that throws is logged, and ends
// nothing else. The destructor finishes queued work.
class WorkerPool {
 public:
  struct Options {
    // Zero: submit() runs the task itself, for programs on one thread.
    size_t max_threads = 256;
    size_t max_queued = 65536;
    Duration idle_timeout = std::chrono::seconds(10);
  };

  WorkerPool();
  explicit WorkerPool(Options options);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // False if the queue is full or no thread can be started: the caller answers "try again later".
  [[nodiscard]] bool submit(std::function<void()> task) EXCLUDES(mutex_);
  size_t threads() const EXCLUDES(mutex_);
  // For a shutdown that does not wait: drops tasks that have not begun, and takes no more.
  void discard_queued() EXCLUDES(mutex_);
  // The same, and waits for tasks that have begun: no thread is left. REQUIRES: not in a task.
  void stop() EXCLUDES(mutex_);

 private:
  bool start_thread() REQUIRES(mutex_);
  void work() EXCLUDES(mutex_);

  const Options options_;
  mutable Mutex mutex_;
  CondVar work_arrived_;
  CondVar thread_ended_;
  std::deque<std::function<void()>> queue_ GUARDED_BY(mutex_);
  size_t threads_ GUARDED_BY(mutex_) = 0;
  size_t idle_ GUARDED_BY(mutex_) = 0;
  bool stopping_ GUARDED_BY(mutex_) = false;
};

}  // namespace proa
