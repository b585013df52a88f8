#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "base/threads/mutex.h"

namespace proa {

// Something that many threads use while one replaces it. Users keep what they began with. What was
// replaced is destroyed by the thread that replaces, never by a user's: that may block, or is not
// allowed on a loop's thread. Thread-safe.
template <typename T>
class Replaceable {
 public:
  explicit Replaceable(std::shared_ptr<T> first) : current_(std::move(first)) {}

  std::shared_ptr<T> get() const EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return current_;
  }
  void replace(std::shared_ptr<T> next) EXCLUDES(mutex_) {
    release_former();
    MutexLock lock(mutex_);
    former_.push_back(std::exchange(current_, std::move(next)));
  }
  // Destroys what was replaced and has no users left.
  void release_former() EXCLUDES(mutex_) {
    std::vector<std::shared_ptr<T>> unused;
    MutexLock lock(mutex_);
    // Nobody gets one any more: the last user stays the last.
    const auto used = std::partition(former_.begin(), former_.end(),
                                     [](const auto& one) { return one.use_count() > 1; });
    unused.assign(std::make_move_iterator(used), std::make_move_iterator(former_.end()));
    former_.erase(used, former_.end());
  }
  // The current one, and those that were replaced and are still in use.
  std::vector<std::shared_ptr<T>> all() const EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    std::vector<std::shared_ptr<T>> all = former_;
    all.push_back(current_);
    return all;
  }

 private:
  mutable Mutex mutex_;
  std::shared_ptr<T> current_ GUARDED_BY(mutex_);
  std::vector<std::shared_ptr<T>> former_ GUARDED_BY(mutex_);
};

}  // namespace proa
