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
  };
  std::shared_ptr<Lock> lock_of(std::string_view name_space) EXCLUDES(mutex_);
  void forget(const std::string& name_space) EXCLUDES(mutex_);

  mutable Mutex mutex_;
  std::map<std::string, std::weak_ptr<Lock>, std::less<>> locks_ GUARDED_BY(mutex_);
};

}  // namespace proa::apiserver::quota
