#include "base/threads/pool.h"

#include <chrono>
#include <system_error>

#include "base/log.h"
#include "base/threads/guarded.h"

namespace proa {
namespace pool {

const Log kLog{"base"};

// Tasks that owe somebody an answer guard themselves; this keeps the process and the thread.
void run(const std::function<void()>& task) {
  if (const Result<void> done = guarded(task); !done) {
    kLog.error("a task failed", {{"error", done.status()}});
  }
}

}  // namespace pool

WorkerPool::WorkerPool() : WorkerPool(Options{}) {}
WorkerPool::WorkerPool(Options options) : options_(options) {}

WorkerPool::~WorkerPool() {
  MutexLock lock(mutex_);
  stopping_ = true;
  work_arrived_.notify_all();
  while (threads_ > 0) thread_ended_.wait(mutex_);
}

bool WorkerPool::submit(std::function<void()> task) {
  if (options_.max_threads == 0) {
    pool::run(task);
    return true;
  }
  MutexLock lock(mutex_);
  if (stopping_ || queue_.size() >= options_.max_queued) return false;
  queue_.push_back(std::move(task));
  if (idle_ >= queue_.size()) {
    work_arrived_.notify_one();
  } else if (threads_ < options_.max_threads) {
    return start_thread();
  }
  return true;
}

bool WorkerPool::start_thread() {
  try {
    // Detached: the pool counts its threads and waits for the last one.
    std::thread([this] { work(); }).detach();
    ++threads_;
    return true;
  } catch (const std::system_error&) {
    // The system refuses another thread: the existing ones do the work, if there are any.
    if (threads_ > 0) return true;
    queue_.pop_back();
    return false;
  }
}

size_t WorkerPool::threads() const {
  MutexLock lock(mutex_);
  return threads_;
}

void WorkerPool::discard_queued() {
  std::deque<std::function<void()>> discarded;
  MutexLock lock(mutex_);
  stopping_ = true;
  discarded.swap(queue_);
  work_arrived_.notify_all();
}

void WorkerPool::stop() {
  discard_queued();
  MutexLock lock(mutex_);
  while (threads_ > 0) thread_ended_.wait(mutex_);
}

void WorkerPool::work() {
  mutex_.lock();
  while (true) {
    if (!queue_.empty()) {
      auto task = std::move(queue_.front());
      queue_.pop_front();
      mutex_.unlock();
      pool::run(task);
      task = nullptr;  // releases its captures before the thread counts as idle
      mutex_.lock();
      continue;
    }
    if (stopping_) break;
    ++idle_;
    const bool woken =
        work_arrived_.wait_until(mutex_, std::chrono::steady_clock::now() + options_.idle_timeout);
    --idle_;
    if (!woken && queue_.empty()) break;
  }
  --threads_;
  thread_ended_.notify_all();
  mutex_.unlock();
}

}  // namespace proa
