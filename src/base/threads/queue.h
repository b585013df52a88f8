#pragma once

#include <deque>
#include <optional>

#include "base/threads/mutex.h"

namespace proa {

// A queue with a bound, between threads. Who puts is told at once when it is full: waiting there
// would only move the queue to where nobody counts it.
template <typename T>
class BoundedQueue {
 public:
  explicit BoundedQueue(size_t bound) : bound_(bound) {}

  // False when full or closed; `item` is untouched then.
  bool try_push(T&& item) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    if (closed_ || items_.size() >= bound_) return false;
    items_.push_back(std::move(item));
    changed_.notify_one();
    return true;
  }

  // Waits for an item; nullopt once the queue is closed and empty.
  std::optional<T> pop() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    while (items_.empty() && !closed_) changed_.wait(mutex_);
    return take();
  }

  std::optional<T> try_pop() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return take();
  }

  // Nothing can be put any more; what is in can still be taken.
  void close() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }

  size_t size() const EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return items_.size();
  }

 private:
  std::optional<T> take() REQUIRES(mutex_) {
    if (items_.empty()) return std::nullopt;
    std::optional<T> item(std::move(items_.front()));
    items_.pop_front();
    return item;
  }

  const size_t bound_;
  mutable Mutex mutex_;
  CondVar changed_;
  std::deque<T> items_ GUARDED_BY(mutex_);
  bool closed_ GUARDED_BY(mutex_) = false;
};

}  // namespace proa
