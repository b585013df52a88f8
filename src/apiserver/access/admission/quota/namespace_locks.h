#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/threads/shared_mutex.h"

namespace proa::apiserver::quota {

// A lock per namespace with writes in progress. The returned handle holds it; REQUIRES: the handle
// is destroyed on the same thread, before the locks.
class NamespaceLocks {
 public:
  // Shared lock. Released by the handle, which the thread-safety analysis cannot follow.
  std::shared_ptr<void> share(std::string_view name_space) NO_THREAD_SAFETY_ANALYSIS;
  std::shared_ptr<void> take(std::string_view name_space) NO_THREAD_SAFETY_ANALYSIS;
  // The number of locks in use.
  size_t size() const EXCLUDES(mutex_);

 private:
  struct Lock {
    SharedMutex mutex;
    // Holders and waiters; guarded by mutex_. Once it reaches zero the lock is destroyed; mutex_
    // orders the holders of its successor after the holders of this one.
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
