#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "base/clock.h"
#include "base/result.h"
#include "base/threads/deadline.h"
#include "base/threads/mutex.h"

namespace proa::scheduler {

// Assumed pods that wait for Permit plugins before they are bound. Thread-safe.
class Permits {
 public:
  explicit Permits(Clock& clock) : clock_(clock) {}

  // A plugin's decision; ignored for pods that do not wait.
  void allow(std::string_view uid) EXCLUDES(mutex_);
  void reject(std::string_view uid, std::string reason) EXCLUDES(mutex_);

  // Starts accepting decisions for the pod.
  void begin(std::string_view uid) EXCLUDES(mutex_);
  // Waits for the decision; kTimeout if none arrives.
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
