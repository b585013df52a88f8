#pragma once

#include <chrono>
#include <deque>
#include <optional>

#include "base/threads/mutex.h"

namespace proa::testkit {

// The timeout of tests; only reached if something is broken.
constexpr std::chrono::seconds kTestTimeout{10};

// Passes items from callbacks on other threads to the test's thread.
template <typename T>
class Inbox {
 public:
  void put(T item) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    items_.push_back(std::move(item));
    arrived_.notify_all();
  }

  // The next item; nullopt on timeout.
  std::optional<T> take() EXCLUDES(mutex_) {
    const auto deadline = std::chrono::steady_clock::now() + kTestTimeout;
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
