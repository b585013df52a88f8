#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "controllers/workload/job/job_facts.h"
#include "sim/scenarios/checks.h"

namespace proa::sim {

// How pods of jobs with a podFailurePolicy end: what its rules say of these is fixed.
inline constexpr int64_t kIgnoredExitCode = 2;  // action Ignore
inline constexpr int64_t kFatalExitCode = 3;    // FailIndex or FailJob

// One job and its pods, from the first to the last of them, as they really were: more than its
// controller could know. What it did that it must not, whatever it did not know, is a complaint.
class JobRecord {
 public:
  explicit JobRecord(api::ObjectPtr job) : job_(std::move(job)), believed_{job_} {}

  // The job was changed, by whomever.
  void wrote(const api::ObjectPtr& job, Complaints& complaints);
  // The controller made a pod.
  void made(const api::ObjectPtr& pod, Complaints& complaints);
  // A pod is the job's, and looks like this.
  void saw(const api::ObjectPtr& pod);
  // A pod is gone.
  void lost(const api::Object& pod);
  // A pod is not the job's any more.
  void released(const api::Object& pod);

  // When nothing happens any more, and the job is still there.
  void check_rest(Complaints& complaints) const;

 private:
  const controllers::jobs::JobFacts& facts() const { return controllers::jobs::job_facts(*job_); }
  bool counts(const controllers::jobs::JobPod& pod) const;
  bool wants(const api::Object& pod) const;
  bool is_ignored(const controllers::jobs::JobPod& pod) const;
  std::set<int64_t> indexes_of(const std::set<api::Uid>& uids) const;
  void note_end(const controllers::jobs::JobPod& pod);

  int64_t allowed() const;
  void check_index(const controllers::jobs::JobPod& pod, Complaints& complaints) const;
  void check_status(const controllers::jobs::JobFacts& before, Complaints& complaints);
  void check_noted(const std::vector<api::Uid>& before, const std::vector<api::Uid>& after,
                   const std::set<api::Uid>& ended, int64_t risen, Complaints& complaints);
  void check_indexes(const controllers::jobs::JobFacts& before, Complaints& complaints) const;
  void check_counters(Complaints& complaints) const;
  void check_end(Complaints& complaints) const;

  api::ObjectPtr job_;
  // Those states of the job that its controller may still take for the latest. It writes a status
  // only upon the state that it knows: older ones are not believed any more then.
  std::vector<api::ObjectPtr> believed_;
  std::map<api::Uid, api::ObjectPtr> pods_;  // by uid; those that are there
  // All that ever were the job's, by uid.
  std::map<api::Uid, int64_t> indexes_;
  std::map<api::Uid, int64_t> restarts_;
  std::set<api::Uid> ended_;
  std::set<api::Uid> succeeded_;
  std::set<api::Uid> failed_;  // or stopped before they ended
  // Of these it is certain: nobody stopped them, and they had their finalizer when they ended.
  std::set<api::Uid> surely_succeeded_;
  std::set<api::Uid> surely_failed_;
  std::set<api::Uid> fatal_;    // with the exit code that a policy does not forgive
  std::set<api::Uid> counted_;  // were noted down, and are not any more
  bool lets_go_ = false;        // some pods, counted or not
};

}  // namespace proa::sim
