#pragma once

#include <map>
#include <string>

#include "base/threads/mutex.h"
#include "base/time.h"

namespace proa::controllers {

// Back-off for replacing failed pods, so that a set does not race with a kubelet that rejects them.
// Keys are chosen by the caller. Thread-safe.
class FailedPods {
 public:
  static constexpr Duration kFirstBackoff = std::chrono::seconds(1);
  static constexpr Duration kMaxBackoff = std::chrono::minutes(15);

  // Time until the next replacement is allowed; zero: now.
  Duration wait(const std::string& key, Steady now) const EXCLUDES(mutex_);
  // Records a replacement.
  void replaced(const std::string& key, Steady now) EXCLUDES(mutex_);

 private:
  struct Entry {
    Duration pause{0};
    Steady last{};
  };
  // Long enough without failures to reset the back-off.
  static bool is_over(const Entry& entry, Steady now) { return now - entry.last > 2 * kMaxBackoff; }

  mutable Mutex mutex_;
  std::map<std::string, Entry> entries_ GUARDED_BY(mutex_);
  Steady swept_ GUARDED_BY(mutex_){};
};

}  // namespace proa::controllers
