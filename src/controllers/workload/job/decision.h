#pragma once

#include <functional>

#include "controllers/workload/job/backoff.h"
#include "controllers/workload/job/tally.h"

namespace proa::controllers::jobs {

// Whether the job ends now, even with pods still running; reasons and messages are upstream's. A
// decision is final: the pods that caused it may be gone.
std::optional<End> judge_job(const JobFacts& job, const Tally& tally, Pods pods, Time now);

// Whether enough pods succeeded; `active`: pods that still run.
std::optional<End> judge_completion(const JobFacts& job, const Tally& tally, int64_t active);

// Time until activeDeadlineSeconds; nullopt if there is no deadline.
std::optional<Duration> deadline_left(const JobFacts& job, Time now);

// The pods to create or delete for a job that continues; never both.
struct PodPlan {
  std::vector<size_t> remove = {};
  size_t create = 0;
  std::vector<int64_t> indexes = {};  // of an indexed job: the indexes of the `create` pods
  Duration wait{0};                   // until more may be created; zero: no time limit
};

// The order in which active pods are deleted, as positions.
using GoesBefore = std::function<bool(size_t a, size_t b)>;

PodPlan plan_pods(const JobFacts& job, const Tally& tally, Pods pods, const PodBackoff& backoff,
                  Time now, const GoesBefore& goes_before);

}  // namespace proa::controllers::jobs
