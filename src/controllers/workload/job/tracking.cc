#include "controllers/workload/job/tracking.h"

#include <algorithm>

namespace proa::controllers::jobs {
namespace job_tracking {

// Keeps the uids in a status below 20 KB.
constexpr size_t kMostNoted = 500;

int64_t take_untracked(std::vector<api::Uid>& uids, const std::set<api::Uid>& tracked) {
  return static_cast<int64_t>(
      std::erase_if(uids, [&](const api::Uid& uid) { return !tracked.contains(uid); }));
}

class NotingDown {
 public:
  NotingDown(const JobFacts& job, const Tally& tally, const std::optional<End>& end,
             JobStatus& status)
      : job_(job),
        tally_(tally),
        end_(end),
        status_(status),
        succeeded_(status.uncounted_succeeded.begin(), status.uncounted_succeeded.end()),
        failed_(status.uncounted_failed.begin(), status.uncounted_failed.end()) {}

  Release run(Pods pods) {
    Release release;
    for (const size_t i : in_order(pods)) {
      const JobPod& pod = *pods[i];
      if (!pod.tracked || !may_go(pod, i)) continue;
      const Note note = note_for(pod);
      // Pods that are recorded already continue.
      if (note != Note::kNone && noted() >= kMostNoted) {
        release.all = false;
        continue;
      }
      release.pods.push_back(i);
      put(note, pod);
    }
    return release;
  }

 private:
  enum class Note : uint8_t { kNone, kIndex, kSucceeded, kFailed };

  size_t noted() const {
    return status_.uncounted_succeeded.size() + status_.uncounted_failed.size() + indexes_;
  }

  std::vector<size_t> in_order(Pods pods) const {
    std::vector<size_t> order(pods.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    if (!job_.spec.indexed) return order;
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return pods[a]->index < pods[b]->index; });
    return order;
  }

  bool failed(const JobPod& pod) const { return pod.failed(job_.spec.replaces_only_failed); }

  bool may_go(const JobPod& pod, size_t position) const {
    if (job_.being_deleted || end_ || pod.succeeded()) return true;
    if (!failed(pod)) return false;
    if (!pod.index) return true;
    const auto kept = tally_.to_replace.find(*pod.index);
    return kept == tally_.to_replace.end() || kept->second != position;
  }

  Note note_for(const JobPod& pod) const {
    if (succeeded_.contains(pod.uid) || failed_.contains(pod.uid)) return Note::kNone;
    if (job_.spec.indexed && !job_.spec.has_index(pod.index)) return Note::kNone;
    // The index in the status prevents counting it twice.
    if (pod.succeeded()) return job_.spec.indexed ? Note::kIndex : Note::kSucceeded;
    // When the job fails, the pods it deletes count as failed.
    const bool lost = failed(pod) || (end_ && !end_->success);
    if (!lost) return Note::kNone;
    const bool counts = judge_failure(job_.spec.failure_rules, job_.name_space, pod).counts();
    return counts ? Note::kFailed : Note::kNone;
  }

  void put(Note note, const JobPod& pod) {
    if (note == Note::kIndex) ++indexes_;
    if (note == Note::kSucceeded) status_.uncounted_succeeded.push_back(pod.uid);
    if (note == Note::kFailed) status_.uncounted_failed.push_back(pod.uid);
  }

  const JobFacts& job_;
  const Tally& tally_;
  const std::optional<End>& end_;
  JobStatus& status_;
  const std::set<api::Uid> succeeded_;
  const std::set<api::Uid> failed_;
  size_t indexes_ = 0;
};

}  // namespace job_tracking

std::set<api::Uid> tracked_uids(Pods pods) {
  std::set<api::Uid> uids;
  for (const JobPod* pod : pods) {
    if (pod->tracked) uids.insert(pod->uid);
  }
  return uids;
}

void count_untracked(JobStatus& status, const std::set<api::Uid>& tracked) {
  status.succeeded += job_tracking::take_untracked(status.uncounted_succeeded, tracked);
  status.failed += job_tracking::take_untracked(status.uncounted_failed, tracked);
}

Release note_down(const JobFacts& job, const Tally& tally, Pods pods, const std::optional<End>& end,
                  JobStatus& status) {
  if (job.spec.indexed) {
    status.completed_indexes = tally.completed_indexes.str();
    status.succeeded = tally.completed_indexes.count();
    status.failed_indexes.reset();
    if (job.spec.backoff_limit_per_index) status.failed_indexes = tally.failed_indexes.str();
  }
  return job_tracking::NotingDown(job, tally, end, status).run(pods);
}

}  // namespace proa::controllers::jobs
