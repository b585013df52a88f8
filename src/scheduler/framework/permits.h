#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "base/clock.h"
#include "base/result.h"
#include "base/threads/deadline.h"
#include "base/threads/mutex.h"

namespace proa::scheduler {

// Pods that have a node and wait for a plugin's word before they are bound. Safe to use from any
// thread.
class Permits {
 public:
  explicit Permits(Clock& clock) : clock_(clock) {}

  // A plugin says yes or no; a word about a pod that does not wait is lost.
  void allow(std::string_view uid) EXCLUDES(mutex_);
  void reject(std::string_view uid, std::string reason) EXCLUDES(mutex_);

  // From now on words about it are heard.
  void begin(std::string_view uid) EXCLUDES(mutex_);
  // Waits for the word; kTimeout when none came.
  Result<void> wait(std::string_view uid, const Until& until) EXCLUDES(mutex_);

 private:
  struct Word {
    bool said = false;
    bool allowed = false;
    std::string reason = {};
  };

  Clock& clock_;
  Mutex mutex_;
  CondVar changed_;
  std::unordered_map<std::string, Word> waiting_ GUARDED_BY(mutex_);
};

}  // namespace proa::scheduler
