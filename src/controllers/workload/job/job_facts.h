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

// What a job wants.
struct JobSpec {
  bool known_mode = true;  // of completion
  bool indexed = false;
  int64_t parallelism = 1;
  std::optional<int64_t> completions = std::nullopt;  // none: one success ends it
  int64_t backoff_limit = 6;
  std::optional<int64_t> backoff_limit_per_index = std::nullopt;
  std::optional<int64_t> max_failed_indexes = std::nullopt;
  std::optional<int64_t> active_deadline_seconds = std::nullopt;
  std::optional<int64_t> ttl_seconds_after_finished = std::nullopt;
  bool suspended = false;
  bool restarts_in_place = false;     // restartPolicy OnFailure
  bool replaces_only_failed = false;  // not pods that are merely on their way out
  bool managed_elsewhere = false;     // spec.managedBy names another controller
  bool has_failure_policy = false;
  std::vector<FailureRule> failure_rules = {};
  std::vector<SuccessRule> success_rules = {};
  api::LabelSelector selector = api::LabelSelector::nothing();

  // Whether an indexed job has that one.
  bool has_index(std::optional<int64_t> index) const {
    return index && *index < completions.value_or(0);
  }
};

// How a job ends, or is about to.
struct End {
  bool success = false;
  std::string reason;
  std::string message;
  bool operator==(const End&) const = default;
};

// What is known about a job; without conditions, these numbers are what status says.
struct JobStatus {
  std::string start_time = {};  // empty: not started
  int64_t active = 0;
  std::optional<int64_t> ready = std::nullopt;
  std::optional<int64_t> terminating = std::nullopt;
  int64_t succeeded = 0;
  int64_t failed = 0;
  // Pods that will be counted when they have lost their finalizer.
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
  // It was decided how it ends: SuccessCriteriaMet or FailureTarget; pods may still be there.
  std::optional<End> ending = std::nullopt;
  std::string finished = {};                           // "Complete", "Failed"; empty: it is not
  std::optional<Time> finished_at = std::nullopt;      // of that condition
  std::optional<Time> completion_time = std::nullopt;  // of success only
};

// Read once for each state of the job.
const JobFacts& job_facts(const api::Object& job);

// Without conditions.
void put_status(api::Edit status, const JobStatus& wanted);

}  // namespace proa::controllers::jobs
