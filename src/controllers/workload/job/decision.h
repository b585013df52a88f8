#pragma once

#include <functional>

#include "controllers/workload/job/backoff.h"
#include "controllers/workload/job/tally.h"

namespace proa::controllers::jobs {

// Whether the job ends here, whatever its pods still do; reasons and messages are upstream's. What
// was decided once stays: pods may be gone that it was decided by.
std::optional<End> judge_job(const JobFacts& job, const Tally& tally, Pods pods, Time now);

// Whether enough has succeeded, with `active` pods still at work.
std::optional<End> judge_completion(const JobFacts& job, const Tally& tally, int64_t active);

// Until the job has been active for too long; none when it may be for ever.
std::optional<Duration> deadline_left(const JobFacts& job, Time now);

// What is done with the pods of a job that goes on: pods are removed, or made, never both.
struct PodPlan {
  std::vector<size_t> remove = {};
  size_t create = 0;
  std::vector<int64_t> indexes = {};  // of an indexed job: which ones, `create` of them
  Duration wait{0};                   // until more may be made; zero: nothing waits for time
};

// Which of two active pods goes first, by their positions.
using GoesBefore = std::function<bool(size_t a, size_t b)>;

PodPlan plan_pods(const JobFacts& job, const Tally& tally, Pods pods, const PodBackoff& backoff,
                  Time now, const GoesBefore& goes_before);

}  // namespace proa::controllers::jobs
