#include "controllers/workload/job/decision.h"

#include <algorithm>
#include <set>

#include "controllers/framework/times.h"

namespace proa::controllers::jobs {
namespace job_decision {

std::optional<End> failure(std::string_view reason, std::string message) {
  return End{false, std::string(reason), std::move(message)};
}

std::optional<End> judge_failure_policy(const JobFacts& job, Pods pods) {
  if (!job.spec.has_failure_policy) return std::nullopt;
  for (const JobPod* pod : pods) {
    if (!pod->failed(job.spec.replaces_only_failed)) continue;
    FailureVerdict verdict = judge_failure(job.spec.failure_rules, job.name_space, *pod);
    if (verdict.action != FailureRule::Action::kFailJob) continue;
    return failure("PodFailurePolicy", std::move(verdict.message));
  }
  return std::nullopt;
}

// Restarts of containers in place count as failures.
bool restarted_too_often(const JobFacts& job, Pods pods) {
  if (!job.spec.restarts_in_place) return false;
  int64_t restarts = 0;
  for (const JobPod* pod : pods) {
    if (pod->phase == PodPhase::kRunning || pod->phase == PodPhase::kPending) {
      restarts += pod->restarts;
    }
  }
  // Upstream's pastBackoffLimitOnFailure: reaching the limit fails the job, unless the limit is
  // zero.
  return job.spec.backoff_limit == 0 ? restarts > 0 : restarts >= job.spec.backoff_limit;
}

std::optional<End> judge_indexes(const JobFacts& job, const Tally& tally) {
  if (!job.spec.indexed || !job.spec.backoff_limit_per_index) return std::nullopt;
  const int64_t lost = tally.failed_indexes.count();
  if (job.spec.max_failed_indexes && lost > *job.spec.max_failed_indexes) {
    return failure("MaxFailedIndexesExceeded",
                   "Job has exceeded the specified maximal number of failed indexes");
  }
  if (lost > 0 && lost + tally.completed_indexes.count() >= job.spec.completions.value_or(0)) {
    return failure("FailedIndexes", "Job has failed indexes");
  }
  return std::nullopt;
}

// Maximum number of pods created or deleted per reconcile, so that big jobs do not starve others.
constexpr int64_t kMostAtOnce = 500;

int64_t wanted_active(const JobFacts& job, const Tally& tally) {
  const int64_t active = std::ssize(tally.active);
  if (job.spec.suspended) return 0;
  // After the first success, running pods may finish, but no new ones are created.
  if (!job.spec.completions) return tally.succeeded > 0 ? active : job.spec.parallelism;
  return std::clamp<int64_t>(*job.spec.completions - tally.succeeded, 0, job.spec.parallelism);
}

// Separates pods that an indexed job does not need: without a valid index, or with the index of
// another pod; of duplicates, the last in deletion order stays.
std::vector<size_t> take_useless(const JobFacts& job, Pods pods, std::vector<size_t>& active) {
  std::vector<size_t> useless;
  std::vector<size_t> left;
  std::set<int64_t> taken;
  for (auto one = active.rbegin(); one != active.rend(); ++one) {
    const std::optional<int64_t> index = pods[*one]->index;
    const bool useful = job.spec.has_index(index) && taken.insert(*index).second;
    (useful ? left : useless).push_back(*one);
  }
  std::reverse(useless.begin(), useless.end());
  std::reverse(left.begin(), left.end());
  active = std::move(left);
  return useless;
}

bool all_useful(const JobFacts& job, const Tally& tally, Pods pods) {
  if (!job.spec.indexed) return true;
  std::set<int64_t> taken;
  return std::all_of(tally.active.begin(), tally.active.end(), [&](size_t i) {
    return job.spec.has_index(pods[i]->index) && taken.insert(*pods[i]->index).second;
  });
}

std::vector<size_t> choose_removals(const JobFacts& job, const Tally& tally, Pods pods,
                                    const GoesBefore& goes_before) {
  const int64_t too_many = std::ssize(tally.active) - wanted_active(job, tally);
  if (too_many <= 0 && all_useful(job, tally, pods)) return {};
  std::vector<size_t> active = tally.active;
  std::stable_sort(active.begin(), active.end(), goes_before);
  std::vector<size_t> chosen;
  if (job.spec.indexed) chosen = take_useless(job, pods, active);
  for (const size_t pod : active) {
    if (std::ssize(chosen) >= too_many) break;
    chosen.push_back(pod);
  }
  return chosen;
}

// The first indexes that are neither active, succeeded nor failed.
std::vector<int64_t> choose_indexes(const JobFacts& job, const Tally& tally, Pods pods,
                                    int64_t count) {
  Indexes taken = tally.completed_indexes;
  taken.add(indexes_of(pods, tally.active));
  taken.add(tally.failed_indexes);
  if (job.spec.replaces_only_failed) {
    std::vector<int64_t> terminating;
    for (const JobPod* pod : pods) {
      if (pod->terminating() && pod->index) terminating.push_back(*pod->index);
    }
    taken.add(Indexes(terminating));
  }
  return taken.first_missing(count, job.spec.completions.value_or(0));
}

// Each index has its own back-off.
void hold_back(const Tally& tally, Pods pods, Time now, PodPlan& plan) {
  std::vector<int64_t> ready;
  for (const int64_t index : plan.indexes) {
    const auto before = tally.to_replace.find(index);
    Duration left{0};
    if (before != tally.to_replace.end()) {
      const JobPod& pod = *pods[before->second];
      left = backoff_left(pod.failures + pod.ignored_failures + 1, pod.finished_at, now);
    }
    if (left == Duration::zero()) {
      ready.push_back(index);
    } else if (plan.wait == Duration::zero() || left < plan.wait) {
      plan.wait = left;
    }
  }
  plan.indexes = std::move(ready);
}

}  // namespace job_decision

std::optional<End> judge_job(const JobFacts& job, const Tally& tally, Pods pods, Time now) {
  using namespace job_decision;
  if (job.ending) return job.ending;
  if (auto end = judge_failure_policy(job, pods)) return end;
  if (tally.failed > job.spec.backoff_limit || restarted_too_often(job, pods)) {
    return failure("BackoffLimitExceeded", "Job has reached the specified backoff limit");
  }
  const std::optional<Duration> left = deadline_left(job, now);
  if (left && *left <= Duration::zero()) {
    return failure("DeadlineExceeded", "Job was active longer than specified deadline");
  }
  if (auto end = judge_indexes(job, tally)) return end;
  if (!job.spec.indexed) return std::nullopt;
  auto met = judge_success(job.spec.success_rules, job.spec.completions.value_or(0),
                           tally.completed_indexes);
  if (!met) return std::nullopt;
  return End{true, "SuccessPolicy", std::move(*met)};
}

std::optional<End> judge_completion(const JobFacts& job, const Tally& tally, int64_t active) {
  // Without completions, one success means that all work is done; the other pods finish.
  if (active > 0 || tally.succeeded < job.spec.completions.value_or(1)) return std::nullopt;
  return End{true, "CompletionsReached", "Reached expected number of succeeded pods"};
}

std::optional<Duration> deadline_left(const JobFacts& job, Time now) {
  if (!job.spec.active_deadline_seconds || job.spec.suspended) return std::nullopt;
  const Result<Time> started = parse_time(job.status.start_time);
  if (!started) return std::nullopt;
  const int64_t allowed = std::min(*job.spec.active_deadline_seconds, kForeverSeconds);
  return *started + std::chrono::seconds(allowed) - now;
}

PodPlan plan_pods(const JobFacts& job, const Tally& tally, Pods pods, const PodBackoff& backoff,
                  Time now, const GoesBefore& goes_before) {
  using namespace job_decision;
  PodPlan plan;
  plan.remove = choose_removals(job, tally, pods, goes_before);
  if (!plan.remove.empty()) {
    // A suspended job deletes all its pods.
    if (!job.spec.suspended && plan.remove.size() > kMostAtOnce) plan.remove.resize(kMostAtOnce);
    return plan;
  }
  int64_t missing = wanted_active(job, tally) - std::ssize(tally.active);
  if (job.spec.replaces_only_failed) missing -= tally.terminating;
  if (missing <= 0 || job.spec.suspended) return plan;
  if (!job.spec.backoff_limit_per_index) plan.wait = backoff.left(now);
  if (plan.wait > Duration::zero()) return plan;
  missing = std::min(missing, kMostAtOnce);
  if (job.spec.indexed) {
    plan.indexes = choose_indexes(job, tally, pods, missing);
    if (job.spec.backoff_limit_per_index) hold_back(tally, pods, now, plan);
    missing = std::ssize(plan.indexes);
  }
  plan.create = static_cast<size_t>(missing);
  return plan;
}

}  // namespace proa::controllers::jobs
