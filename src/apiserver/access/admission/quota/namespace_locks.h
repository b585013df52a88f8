#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/threads/shared_mutex.h"

namespace proa::apiserver::quota {

// A lock for each namespace that somebody writes to. What is returned holds it until it is gone,
// which must happen on the same thread, and before the locks go.
class NamespaceLocks {
 public:
  // Beside others who share it. Let go of elsewhere, which the analysis can't follow.
  std::shared_ptr<void> share(std::string_view name_space) NO_THREAD_SAFETY_ANALYSIS;
  std::shared_ptr<void> take(std::string_view name_space) NO_THREAD_SAFETY_ANALYSIS;
  // How many there are at the moment.
  size_t size() const EXCLUDES(mutex_);

 private:
  struct Lock {
    SharedMutex mutex;
    // Who holds it or waits for it; guarded by the mutex of all. Who comes when the last one has
    // left finds a new lock, and by that mutex hears of all that was done under the old one.
    size_t users = 0;
  };
  using Locks = std::map<std::string, Lock, std::less<>>;
  Locks::iterator enter(std::string_view name_space) EXCLUDES(mutex_);
  void leave(Locks::iterator place) EXCLUDES(mutex_);
  std::shared_ptr<void> held(Locks::iterator place);

  mutable Mutex mutex_;
  Locks locks_ GUARDED_BY(mutex_);
};

}  // namespace proa::apiserver::quota
