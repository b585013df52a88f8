#pragma once

#include <chrono>
#include <deque>
#include <optional>

#include "base/threads/mutex.h"

namespace proa::testkit {

// How long a test waits for what must happen. Nothing takes that long unless it is broken.
constexpr std::chrono::seconds kPatience{10};

// What callbacks on other threads bring to the thread of the test.
template <typename T>
class Inbox {
 public:
  void put(T item) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    items_.push_back(std::move(item));
    arrived_.notify_all();
  }

  // The next item; nullopt when none comes.
  std::optional<T> take() EXCLUDES(mutex_) {
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    MutexLock lock(mutex_);
    while (items_.empty()) {
      if (!arrived_.wait_until(mutex_, deadline) && items_.empty()) return std::nullopt;
    }
    std::optional<T> item(std::move(items_.front()));
    items_.pop_front();
    return item;
  }

  bool empty() const EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return items_.empty();
  }

 private:
  mutable Mutex mutex_;
  CondVar arrived_;
  std::deque<T> items_ GUARDED_BY(mutex_);
};

}  // namespace proa::testkit
