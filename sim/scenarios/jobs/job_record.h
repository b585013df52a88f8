#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "controllers/workload/job/job_facts.h"
#include "sim/scenarios/checks.h"

namespace proa::sim {

// Exit codes of pods whose handling by a podFailurePolicy is fixed.
inline constexpr int64_t kIgnoredExitCode = 2;  // action Ignore
inline constexpr int64_t kFatalExitCode = 3;    // FailIndex or FailJob

// The true history of a job and its pods, of which its controller may know only a part. Records a
// violation for each action that is wrong even with a stale cache.
class JobRecord {
 public:
  explicit JobRecord(api::ObjectPtr job) : job_(std::move(job)), cacheable_{job_} {}

  // The job was changed by any writer.
  void wrote(const api::ObjectPtr& job, Violations& violations);
  // The controller created a pod.
  void made(const api::ObjectPtr& pod, Violations& violations);
  // A pod belongs to the job and has this state.
  void saw(const api::ObjectPtr& pod);
  // A pod was deleted.
  void lost(const api::Object& pod);
  // A pod was orphaned.
  void released(const api::Object& pod);

  // When the cluster is at rest and the job still exists.
  void check_rest(Violations& violations) const;

 private:
  const controllers::jobs::JobFacts& facts() const { return controllers::jobs::job_facts(*job_); }
  bool counts(const controllers::jobs::JobPod& pod) const;
  bool wants(const api::Object& pod) const;
  bool is_ignored(const controllers::jobs::JobPod& pod) const;
  std::set<int64_t> indexes_of(const std::set<api::Uid>& uids) const;
  void note_end(const controllers::jobs::JobPod& pod);

  int64_t allowed() const;
  void check_index(const controllers::jobs::JobPod& pod, Violations& violations) const;
  void check_status(const controllers::jobs::JobFacts& before, Violations& violations);
  void check_noted(const std::vector<api::Uid>& before, const std::vector<api::Uid>& after,
                   const std::set<api::Uid>& ended, int64_t risen, Violations& violations);
  void check_indexes(const controllers::jobs::JobFacts& before, Violations& violations) const;
  void check_counters(Violations& violations) const;
  void check_end(Violations& violations) const;

  api::ObjectPtr job_;
  // States that the controller's cache may have. A status update succeeds only on the cached state,
  // which rules out older ones.
  std::vector<api::ObjectPtr> cacheable_;
  std::map<api::Uid, api::ObjectPtr> pods_;  // by uid; existing ones
  // All pods that ever belonged to the job, by uid.
  std::map<api::Uid, int64_t> indexes_;
  std::map<api::Uid, int64_t> restarts_;
  std::set<api::Uid> ended_;
  std::set<api::Uid> succeeded_;
  std::set<api::Uid> failed_;  // or stopped before they finished
  // Certain: they were not stopped, and had their finalizer when they finished.
  std::set<api::Uid> surely_succeeded_;
  std::set<api::Uid> surely_failed_;
  std::set<api::Uid> fatal_;    // with the exit code that fails the index or job
  std::set<api::Uid> counted_;  // were in uncountedTerminatedPods and are no longer
  bool orphans_pods_ = false;   // some pods are orphaned, counted or not
};

}  // namespace proa::sim
