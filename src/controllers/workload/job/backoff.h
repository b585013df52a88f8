#pragma once

#include <unordered_map>

#include "base/threads/mutex.h"
#include "client/key.h"
#include "controllers/workload/job/job_pod.h"

namespace proa::controllers::jobs {

// How long no other pod is made after that many failures in a row: ten seconds, then twice as long
// each time, ten minutes at most. Zero: one may be made.
Duration backoff_left(int64_t failures, Time last_failure, Time now);

// The failures of a job since its last success.
struct PodBackoff {
  int64_t failures = 0;
  Time last_failure{};

  // With those that ended meanwhile.
  PodBackoff after(const std::vector<Time>& successes, const std::vector<Time>& failed) const;
  Duration left(Time now) const { return backoff_left(failures, last_failure, now); }
  bool operator==(const PodBackoff&) const = default;
};

// What is known from pods that were counted already, for a controller that has just begun.
PodBackoff recall_backoff(Pods pods);

// Of the jobs that are at work. Safe to use from any thread.
class PodBackoffs {
 public:
  // `uid`: another job of that name has failures of its own. Null when nothing is known.
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
