#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/object/edit.h"
#include "api/object/names.h"
#include "api/object/object.h"
#include "api/selector/label_selector.h"
#include "controllers/workload/job/policies.h"

namespace proa::controllers::jobs {

// The spec of a job.
struct JobSpec {
  bool known_mode = true;  // false: an unknown completion mode
  bool indexed = false;
  int64_t parallelism = 1;
  std::optional<int64_t> completions = std::nullopt;  // nullopt: one success completes it
  int64_t backoff_limit = 6;
  std::optional<int64_t> backoff_limit_per_index = std::nullopt;
  std::optional<int64_t> max_failed_indexes = std::nullopt;
  std::optional<int64_t> active_deadline_seconds = std::nullopt;
  std::optional<int64_t> ttl_seconds_after_finished = std::nullopt;
  bool suspended = false;
  bool restarts_in_place = false;     // restartPolicy OnFailure
  bool replaces_only_failed = false;  // podReplacementPolicy Failed
  bool managed_elsewhere = false;     // spec.managedBy names another controller
  bool has_failure_policy = false;
  std::vector<FailureRule> failure_rules = {};
  std::vector<SuccessRule> success_rules = {};
  api::LabelSelector selector = api::LabelSelector::nothing();

  // Whether an indexed job has this index.
  bool has_index(std::optional<int64_t> index) const {
    return index && *index < completions.value_or(0);
  }
};

// The result of a job, or its pending result.
struct End {
  bool success = false;
  std::string reason;
  std::string message;
  bool operator==(const End&) const = default;
};

// The status of a job without conditions.
struct JobStatus {
  std::string start_time = {};  // empty: not started
  int64_t active = 0;
  std::optional<int64_t> ready = std::nullopt;
  std::optional<int64_t> terminating = std::nullopt;
  int64_t succeeded = 0;
  int64_t failed = 0;
  // Uids of pods that are counted when their finalizer is removed.
  std::vector<api::Uid> uncounted_succeeded = {};
  std::vector<api::Uid> uncounted_failed = {};
  std::string completed_indexes = {};
  std::optional<std::string> failed_indexes = std::nullopt;

  bool all_counted() const { return uncounted_succeeded.empty() && uncounted_failed.empty(); }
};

struct JobFacts {
  std::string name_space = {};
  bool being_deleted = false;
  JobSpec spec = {};
  JobStatus status = {};
  // The pending result: SuccessCriteriaMet or FailureTarget; pods may still run.
  std::optional<End> ending = std::nullopt;
  std::string finished = {};                           // "Complete", "Failed"; empty: not finished
  std::optional<Time> finished_at = std::nullopt;      // time of that condition
  std::optional<Time> completion_time = std::nullopt;  // set on success only
};

// Read once per version of the job.
const JobFacts& job_facts(const api::Object& job);

// Without conditions.
void put_status(api::Edit status, const JobStatus& wanted);

}  // namespace proa::controllers::jobs
