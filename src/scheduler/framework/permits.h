#pragma once

#include <string>
#include <unordered_map>

#include "api/object/names.h"
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
  void allow(api::UidView uid) EXCLUDES(mutex_);
  void reject(api::UidView uid, std::string reason) EXCLUDES(mutex_);

  // Starts accepting decisions for the pod.
  void begin(api::UidView uid) EXCLUDES(mutex_);
  // Waits for the decision; kTimeout if none arrives.
  Result<void> wait(api::UidView uid, const Until& until) EXCLUDES(mutex_);

 private:
  struct Decision {
    bool made = false;
    bool allowed = false;
    std::string reason = {};
  };

  Clock& clock_;
  Mutex mutex_;
  CondVar changed_;
  std::unordered_map<api::Uid, Decision> waiting_ GUARDED_BY(mutex_);
};

}  // namespace proa::scheduler
