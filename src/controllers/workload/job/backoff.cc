#include "controllers/workload/job/backoff.h"

#include <algorithm>

namespace proa::controllers::jobs {
namespace job_backoff {

constexpr Duration kFirstBackoff = std::chrono::seconds(10);
constexpr Duration kMaxBackoff = std::chrono::minutes(10);

}  // namespace job_backoff

Duration backoff_left(int64_t failures, Time last_failure, Time now) {
  if (failures == 0) return Duration::zero();
  Duration wait = job_backoff::kFirstBackoff;
  for (int64_t i = 1; i < failures && wait < job_backoff::kMaxBackoff; ++i) wait *= 2;
  wait = std::min(wait, job_backoff::kMaxBackoff);
  return std::max(Duration::zero(), wait - (now - last_failure));
}

PodBackoff PodBackoff::after(const std::vector<Time>& successes,
                             const std::vector<Time>& failed) const {
  PodBackoff now = successes.empty() ? *this : PodBackoff{};
  const Time since =
      successes.empty() ? Time::min() : *std::max_element(successes.begin(), successes.end());
  for (const Time at : failed) {
    if (at <= since) continue;
    ++now.failures;
    now.last_failure = now.failures == 1 ? at : std::max(now.last_failure, at);
  }
  return now;
}

PodBackoff recall_backoff(Pods pods) {
  std::vector<Time> successes;
  std::vector<Time> failed;
  for (const JobPod* pod : pods) {
    // Terminating pods may have been deleted by the job itself.
    if (pod->tracked || pod->being_deleted || !pod->ended()) continue;
    (pod->succeeded() ? successes : failed).push_back(pod->finished_at);
  }
  return PodBackoff{}.after(successes, failed);
}

std::optional<PodBackoff> PodBackoffs::find(const client::Key& key, std::string_view uid) const {
  MutexLock lock(mutex_);
  const auto found = known_.find(key);
  if (found == known_.end() || found->second.uid != uid) return std::nullopt;
  return found->second.backoff;
}

void PodBackoffs::keep(const client::Key& key, std::string_view uid, const PodBackoff& backoff) {
  MutexLock lock(mutex_);
  known_[key] = {std::string(uid), backoff};
}

void PodBackoffs::forget(const client::Key& key) {
  MutexLock lock(mutex_);
  known_.erase(key);
}

}  // namespace proa::controllers::jobs
