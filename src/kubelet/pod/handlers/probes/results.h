#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/threads/mutex.h"

namespace proa::kubelet {

enum class ProbeKind : uint8_t { kLiveness, kReadiness, kStartup };

// The last probe results, by container id. From any thread.
class ProbeResults {
 public:
  // Nullopt: no result yet.
  std::optional<bool> get(const std::string& container_id, ProbeKind kind) const EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    const auto found = passed_.find({container_id, kind});
    if (found == passed_.end()) return std::nullopt;
    return found->second;
  }
  // Returns whether it changed.
  bool set(const std::string& container_id, ProbeKind kind, bool passed) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    const auto [place, added] = passed_.try_emplace({container_id, kind}, passed);
    const bool news = added || place->second != passed;
    place->second = passed;
    return news;
  }
  void forget(const std::string& container_id) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    for (const ProbeKind kind :
         {ProbeKind::kLiveness, ProbeKind::kReadiness, ProbeKind::kStartup}) {
      passed_.erase({container_id, kind});
    }
  }

 private:
  using Key = std::pair<std::string, ProbeKind>;
  mutable Mutex mutex_;
  std::map<Key, bool> passed_ GUARDED_BY(mutex_);
};

}  // namespace proa::kubelet
