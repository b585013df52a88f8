#include "controllers/workload/job/tally.h"

#include <algorithm>
#include <set>

namespace proa::controllers::jobs {
namespace job_tally {

using Action = FailureRule::Action;

// Classifies the pods of one job.
class Tallying {
 public:
  Tallying(const JobFacts& job, Pods pods) : job_(job), pods_(pods) {
    const JobStatus& status = job.status;
    noted_.insert(status.uncounted_succeeded.begin(), status.uncounted_succeeded.end());
    noted_.insert(status.uncounted_failed.begin(), status.uncounted_failed.end());
  }

  Tally run() {
    count_living();
    count_ended();
    if (job_.spec.indexed) count_indexes();
    return std::move(tally_);
  }

 private:
  bool failed(const JobPod& pod) const { return pod.failed(job_.spec.replaces_only_failed); }
  // Pods without a valid index do not count for an indexed job.
  bool belongs(const JobPod& pod) const {
    return !job_.spec.indexed || job_.spec.has_index(pod.index);
  }

  void count_living() {
    for (size_t i = 0; i < pods_.size(); ++i) {
      if (pods_[i]->terminating()) ++tally_.terminating;
      if (!pods_[i]->active()) continue;
      tally_.active.push_back(i);
      if (pods_[i]->ready) ++tally_.ready;
    }
  }

  void count_ended() {
    const JobStatus& status = job_.status;
    tally_.succeeded = status.succeeded + std::ssize(status.uncounted_succeeded);
    tally_.failed = status.failed + std::ssize(status.uncounted_failed);
    for (size_t i = 0; i < pods_.size(); ++i) {
      const JobPod& pod = *pods_[i];
      if (!pod.tracked || !belongs(pod) || noted_.contains(pod.uid)) continue;
      if (pod.succeeded()) {
        tally_.new_succeeded.push_back(i);
        ++tally_.succeeded;
      } else if (failed(pod)) {
        tally_.new_failed.push_back(i);
        if (judge_failure(job_.spec.failure_rules, job_.name_space, pod).counts()) ++tally_.failed;
      }
    }
  }

  void count_indexes() {
    const int64_t completions = job_.spec.completions.value_or(0);
    std::vector<int64_t> completed;
    for (const JobPod* pod : pods_) {
      // A deleted pod may be recorded as failed before it succeeds.
      if (!pod->tracked || !belongs(*pod) || noted_.contains(pod->uid)) continue;
      if (pod->succeeded()) completed.push_back(*pod->index);
    }
    tally_.completed_indexes = Indexes::parse(job_.status.completed_indexes, completions);
    tally_.completed_indexes.add(Indexes(completed));
    tally_.succeeded = tally_.completed_indexes.count();
    if (!job_.spec.backoff_limit_per_index) return;
    count_failed_indexes(completions);
    find_those_to_replace();
  }

  void count_failed_indexes(int64_t completions) {
    std::vector<int64_t> lost;
    for (const JobPod* pod : pods_) {
      if (pod->tracked && belongs(*pod) && fails_its_index(*pod)) lost.push_back(*pod->index);
    }
    tally_.failed_indexes = Indexes::parse(job_.status.failed_indexes.value_or(""), completions);
    tally_.failed_indexes.add(Indexes(lost));
  }

  bool fails_its_index(const JobPod& pod) const {
    if (!failed(pod)) return false;
    // A succeeded index stays succeeded, whatever later pods do.
    if (tally_.completed_indexes.has(*pod.index)) return false;
    const FailureVerdict verdict = judge_failure(job_.spec.failure_rules, job_.name_space, pod);
    if (verdict.action == Action::kFailIndex) return true;
    return verdict.counts() && pod.failures >= *job_.spec.backoff_limit_per_index;
  }

  void find_those_to_replace() {
    const Indexes active = indexes_of(pods_, tally_.active);
    for (size_t i = 0; i < pods_.size(); ++i) {
      const JobPod& pod = *pods_[i];
      if (!pod.tracked || !belongs(pod) || !failed(pod)) continue;
      const int64_t index = *pod.index;
      if (tally_.completed_indexes.has(index) || tally_.failed_indexes.has(index)) continue;
      if (active.has(index)) continue;
      const auto [place, first] = tally_.to_replace.emplace(index, i);
      if (!first && is_later(pod, *pods_[place->second])) place->second = i;
    }
  }

  static bool is_later(const JobPod& a, const JobPod& b) {
    return a.failures + a.ignored_failures >= b.failures + b.ignored_failures &&
           a.finished_at >= b.finished_at;
  }

  const JobFacts& job_;
  const Pods pods_;
  std::set<api::Uid> noted_;
  Tally tally_;
};

}  // namespace job_tally

Tally tally_pods(const JobFacts& job, Pods pods) { return job_tally::Tallying(job, pods).run(); }

Indexes indexes_of(Pods pods, const std::vector<size_t>& positions) {
  std::vector<int64_t> indexes;
  for (const size_t i : positions) {
    if (pods[i]->index) indexes.push_back(*pods[i]->index);
  }
  return Indexes(indexes);
}

}  // namespace proa::controllers::jobs
