#include "controllers/workload/daemon/failed_pods.h"

#include <algorithm>

namespace proa::controllers {

Duration FailedPods::wait(const std::string& key, Steady now) const {
  MutexLock lock(mutex_);
  const auto found = entries_.find(key);
  if (found == entries_.end() || is_over(found->second, now)) return Duration(0);
  return std::max(Duration(0), found->second.last + found->second.pause - now);
}

void FailedPods::replaced(const std::string& key, Steady now) {
  MutexLock lock(mutex_);
  // Drops expired entries.
  if (now - swept_ > kMaxBackoff) {
    std::erase_if(entries_, [now](const auto& one) { return is_over(one.second, now); });
    swept_ = now;
  }
  Entry& entry = entries_[key];
  const bool anew = entry.pause == Duration(0) || is_over(entry, now);
  entry.pause = anew ? kFirstBackoff : std::min(kMaxBackoff, 2 * entry.pause);
  entry.last = now;
}

}  // namespace proa::controllers
