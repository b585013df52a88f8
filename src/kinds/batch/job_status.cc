#include "kinds/batch/job_status.h"

#include <algorithm>
#include <set>

#include "base/time.h"
#include "kinds/batch/job_indexes.h"
#include "kinds/batch/job_spec.h"
#include "kinds/core/pods/pod_owner.h"

namespace proa::kinds {

namespace job_status {

// One side of an update.
struct State {
  explicit State(View job)
      : spec(job["spec"]),
        status(job["status"]),
        complete(has_job_condition(status, "Complete")),
        failed(has_job_condition(status, "Failed")),
        failure_target(has_job_condition(status, "FailureTarget")),
        success_criteria(has_job_condition(status, "SuccessCriteriaMet")) {}

  bool finished() const { return complete || failed; }

  View spec;
  View status;
  bool complete;
  bool failed;
  bool failure_target;
  bool success_criteria;
};

struct Check {
  const State& now;
  const State& before;
  const api::Path& path;
  api::FieldErrors& errors;

  bool changed(std::string_view name) const { return !(now.status[name] == before.status[name]); }
  void bad_conditions(std::string_view detail) const {
    errors.invalid_whole(path.field("conditions"), detail);
  }
  void bad(std::string_view name, std::string_view detail) const {
    errors.invalid(path.field(name), now.status[name], detail);
  }
};

void check_uncounted(const Check& check) {
  const View uncounted = check.now.status["uncountedTerminatedPods"];
  const api::Path path = check.path.field("uncountedTerminatedPods");
  std::set<std::string_view> seen;
  for (const std::string_view list : {"succeeded", "failed"}) {
    const api::Path list_path = path.field(list);
    for (size_t i = 0; i < uncounted[list].size(); ++i) {
      const std::string_view uid = uncounted[list].item(i).text();
      if (uid.empty()) {
        check.errors.invalid(list_path.index(i), uid, "must not be empty");
      } else if (!seen.insert(uid).second) {
        check.errors.duplicate(list_path.index(i), uid);
      }
    }
  }
  const bool some = !uncounted["succeeded"].empty() || !uncounted["failed"].empty();
  const bool judged =
      check.now.finished() != check.before.finished() || check.changed("uncountedTerminatedPods");
  if (judged && check.now.finished() && some)
    check.bad("uncountedTerminatedPods", "must be empty for finished job");
}

void check_end(const Check& check) {
  const auto& [now, before, path, errors] = check;
  const bool complete_changed = now.complete != before.complete;
  const bool failed_changed = now.failed != before.failed;
  const bool time_changed = check.changed("completionTime");
  const View completion = now.status["completionTime"];
  if ((complete_changed || failed_changed) && now.complete && now.failed)
    check.bad_conditions("cannot set Complete=True and Failed=true conditions");
  if ((complete_changed || now.failure_target != before.failure_target) && now.complete &&
      now.failure_target) {
    check.bad_conditions("cannot set Complete=True and FailureTarget=true conditions");
  }
  if (complete_changed || time_changed) {
    if (completion.exists() && !now.complete) {
      check.bad("completionTime",
                "cannot set completionTime when there is no Complete=True condition");
    }
    if (!completion.exists() && now.complete)
      errors.required(path.field("completionTime"), "completionTime is required for Complete jobs");
  }
  const auto started = parse_time(now.status["startTime"].text());
  const auto completed = parse_time(completion.text());
  if ((check.changed("startTime") || time_changed) && started.ok() && completed.ok() &&
      *completed < *started) {
    check.bad("completionTime", "must be equal to or after `startTime`");
  }
  if ((failed_changed || check.changed("failedIndexes")) && now.failed && !now.failure_target) {
    check.bad_conditions(
        "cannot set Failed=True condition without the FailureTarget=true condition");
  }
  if ((complete_changed || now.success_criteria != before.success_criteria) && now.complete &&
      !now.success_criteria) {
    check.bad_conditions(
        "cannot set Complete=True condition without the SuccessCriteriaMet=true condition");
  }
}

void check_finished(const Check& check) {
  const State& now = check.now;
  const bool finish_changed = now.finished() != check.before.finished();
  if ((finish_changed || check.changed("active")) && now.finished() &&
      now.status["active"].integer() > 0) {
    check.bad("active", "active>0 is invalid for finished job");
  }
  const bool nothing_to_do = now.spec["suspend"].flag() && now.spec["completions"].exists() &&
                             now.spec["completions"].integer() == 0;
  if ((finish_changed || check.changed("startTime")) && !nothing_to_do && now.finished() &&
      !now.status["startTime"].exists()) {
    check.errors.required(check.path.field("startTime"), "startTime is required for finished job");
  }
  if ((finish_changed || check.changed("terminating")) && now.finished() &&
      now.status["terminating"].integer() > 0) {
    check.bad("terminating", "terminating>0 is invalid for finished job");
  }
}

void check_indexes(const Check& check) {
  const State& now = check.now;
  const View completions = now.spec["completions"];
  const View per_index = now.spec["backoffLimitPerIndex"];
  const View completed = now.status["completedIndexes"];
  const View failed = now.status["failedIndexes"];
  const bool completed_changed = completed.text() != check.before.status["completedIndexes"].text();
  const bool failed_changed = check.changed("failedIndexes");
  if (completed_changed && completions.exists()) {
    const auto counted = count_indexes(completed.text(), completions.integer());
    if (!counted.ok()) {
      check.bad("completedIndexes",
                "error parsing completedIndexes: " + counted.status().message());
    }
  }
  if (failed_changed && completions.exists() && per_index.exists() && failed.exists()) {
    const auto counted = count_indexes(failed.text(), completions.integer());
    if (!counted.ok())
      check.bad("failedIndexes", "error parsing failedIndexes: " + counted.status().message());
  }
  if (completed_changed && !completed.text().empty() && !is_indexed(now.spec)) {
    check.bad("completedIndexes",
              "cannot set non-empty completedIndexes when non-indexed completion mode");
  }
  if (failed_changed && failed.exists() && !per_index.exists()) {
    check.bad("failedIndexes",
              "cannot set non-null failedIndexes when backoffLimitPerIndex is null");
  }
  if ((failed_changed || completed_changed) && completions.exists() && failed.exists()) {
    const auto disjoint =
        check_disjoint_indexes(completed.text(), failed.text(), completions.integer());
    if (!disjoint.ok()) check.bad("failedIndexes", disjoint.status().message());
  }
}

void check_success_criteria(const Check& check) {
  const State& now = check.now;
  if (now.success_criteria && now.failed)
    check.bad_conditions("cannot set SuccessCriteriaMet=True and Failed=true conditions");
  if (now.success_criteria && now.failure_target)
    check.bad_conditions("cannot set SuccessCriteriaMet=True and FailureTarget=true conditions");
  if (now.spec["successPolicy"].exists() && !now.success_criteria && now.complete) {
    check.bad_conditions(
        "cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True");
  }
}

void check_transitions(const Check& check) {
  const auto& [now, before, path, errors] = check;
  const auto kept = [&](bool was, bool is, std::string_view type) {
    if (was && !is) {
      check.bad_conditions("cannot disable the terminal " + std::string(type) + "=True condition");
    }
  };
  kept(before.failed, now.failed, "Failed");
  kept(before.complete, now.complete, "Complete");
  kept(before.failure_target, now.failure_target, "FailureTarget");
  if (now.status["failed"].integer() < before.status["failed"].integer())
    errors.invalid(path.field("failed"), now.status["failed"].integer(),
                   "cannot decrease the failed counter");
  // An indexed job can be scaled down if completions and parallelism change together.
  const bool may_shrink =
      is_indexed(now.spec) && now.spec["completions"] == now.spec["parallelism"];
  if (!may_shrink && now.status["succeeded"].integer() < before.status["succeeded"].integer())
    errors.invalid(path.field("succeeded"), now.status["succeeded"].integer(),
                   "cannot decrease the succeeded counter");
  if (now.status["completionTime"].exists() && before.status["completionTime"].exists() &&
      check.changed("completionTime")) {
    check.bad("completionTime", "field is immutable");
  }
  const auto conditions = now.status["conditions"].items();
  const bool resumes =
      has_job_condition(before.status, "Suspended") &&
      std::any_of(conditions.begin(), conditions.end(), [](View condition) {
        return condition["type"].text() == "Suspended" && condition["status"].text() == "False";
      });
  if (check.changed("startTime") && !resumes && before.status["startTime"].exists() &&
      !now.spec["suspend"].flag()) {
    check.bad("startTime", "field is immutable for unsuspended job once set");
  }
  if (before.success_criteria && !now.success_criteria)
    check.bad_conditions("cannot disable the SuccessCriteriaMet=True condition");
  if (before.complete && !before.success_criteria && now.success_criteria) {
    check.bad_conditions(
        "cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions");
  }
}

constexpr std::string_view kCounts[] = {"active", "succeeded", "failed", "ready", "terminating"};

}  // namespace job_status

bool has_job_condition(View status, std::string_view type) {
  const auto conditions = status["conditions"].items();
  return std::any_of(conditions.begin(), conditions.end(), [&](View condition) {
    return condition["type"].text() == type && condition["status"].text() == "True";
  });
}

void validate_job_status_update(View object, View old, api::FieldErrors& errors) {
  const api::Path path("status");
  const job_status::State now(object);
  const job_status::State before(old);
  const job_status::Check check{now, before, path, errors};
  validate_counts(now.status, job_status::kCounts, path, errors);
  job_status::check_uncounted(check);
  job_status::check_end(check);
  job_status::check_finished(check);
  job_status::check_indexes(check);
  if ((check.changed("ready") || check.changed("active")) &&
      now.status["ready"].integer() > now.status["active"].integer()) {
    check.bad("ready", "cannot set more ready pods than active");
  }
  job_status::check_success_criteria(check);
  job_status::check_transitions(check);
}

}  // namespace proa::kinds
