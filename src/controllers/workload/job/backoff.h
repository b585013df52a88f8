#pragma once

#include <unordered_map>

#include "base/threads/mutex.h"
#include "client/key.h"
#include "controllers/workload/job/job_pod.h"

namespace proa::controllers::jobs {

// Remaining back-off before the next pod after that many consecutive failures: ten seconds,
// doubling, at most ten minutes.
Duration backoff_left(int64_t failures, Time last_failure, Time now);

// The failures of a job since its last success.
struct PodBackoff {
  int64_t failures = 0;
  Time last_failure{};

  // Including pods that ended since.
  PodBackoff after(const std::vector<Time>& successes, const std::vector<Time>& failed) const;
  Duration left(Time now) const { return backoff_left(failures, last_failure, now); }
  bool operator==(const PodBackoff&) const = default;
};

// Recovers the state from counted pods after a restart of the controller.
PodBackoff recall_backoff(Pods pods);

// The back-off of active jobs. Thread-safe.
class PodBackoffs {
 public:
  // Nullopt if unknown. `uid`: a job that was recreated under the same name starts over.
  std::optional<PodBackoff> find(const client::Key& key, std::string_view uid) const
      EXCLUDES(mutex_);
  void keep(const client::Key& key, std::string_view uid, const PodBackoff& backoff)
      EXCLUDES(mutex_);
  void forget(const client::Key& key) EXCLUDES(mutex_);

 private:
  struct Known {
    std::string uid;
    PodBackoff backoff;
  };

  mutable Mutex mutex_;
  std::unordered_map<client::Key, Known> known_ GUARDED_BY(mutex_);
};

}  // namespace proa::controllers::jobs
