#include "controllers/workload/job/job_facts.h"

#include "controllers/framework/writes.h"
#include "controllers/workload/objects/job.h"

namespace proa::controllers::jobs {
namespace job_facts_reader {

using api::Edit;

// The value of spec.managedBy for this controller.
constexpr std::string_view kOwnName = "kubernetes.io/job-controller";

JobSpec read_spec(objects::JobSpec&& spec) {
  JobSpec facts;
  facts.indexed = spec.completion_mode == "Indexed";
  facts.known_mode = facts.indexed || spec.completion_mode == "NonIndexed";
  facts.parallelism = spec.parallelism;
  facts.completions = spec.completions;
  facts.backoff_limit = spec.backoff_limit;
  facts.backoff_limit_per_index = spec.backoff_limit_per_index;
  facts.max_failed_indexes = spec.max_failed_indexes;
  facts.active_deadline_seconds = spec.active_deadline_seconds;
  facts.ttl_seconds_after_finished = spec.ttl_seconds_after_finished;
  facts.suspended = spec.suspend;
  facts.restarts_in_place = spec.pod_template.spec.restart_policy == "OnFailure";
  facts.has_failure_policy = spec.failure_policy.has_value();
  // A terminating pod has not failed yet, so the policy cannot be evaluated.
  facts.replaces_only_failed = facts.has_failure_policy || spec.replacement_policy == "Failed";
  facts.managed_elsewhere = spec.managed_by && *spec.managed_by != kOwnName;
  if (spec.failure_policy) facts.failure_rules = read_failure_rules(*spec.failure_policy);
  facts.success_rules = read_success_rules(spec.success_policy);
  facts.selector = std::move(spec.selector);
  return facts;
}

JobStatus read_status(objects::JobStatus& status) {
  return {.start_time = std::move(status.start_time),
          .active = status.active,
          .ready = status.ready,
          .terminating = status.terminating,
          .succeeded = status.succeeded,
          .failed = status.failed,
          .uncounted_succeeded = std::move(status.uncounted.succeeded),
          .uncounted_failed = std::move(status.uncounted.failed),
          .completed_indexes = std::move(status.completed_indexes),
          .failed_indexes = std::move(status.failed_indexes)};
}

std::optional<End> read_ending(const objects::JobStatus& status) {
  for (const auto& [type, success] :
       {std::pair("SuccessCriteriaMet", true), {"FailureTarget", false}}) {
    const auto* condition = objects::find_condition(status.conditions, type);
    if (condition == nullptr || !condition->holds()) continue;
    return End{success, condition->reason, condition->message};
  }
  return std::nullopt;
}

JobFacts read(const api::Object& object) {
  JobFacts facts;
  Result<objects::Job> job = api::decode<objects::Job>(object);
  if (!job) return facts;
  objects::JobStatus& status = job->status;
  facts.name_space = object.metadata().name_space;
  facts.being_deleted = object.metadata().being_deleted;
  facts.spec = read_spec(std::move(job->spec));
  facts.ending = read_ending(status);
  for (const char* type : {"Complete", "Failed"}) {
    const auto* condition = objects::find_condition(status.conditions, type);
    if (condition == nullptr || !condition->holds()) continue;
    facts.finished = type;
    facts.finished_at = condition->since();
  }
  facts.completion_time = status.completion_time;
  facts.status = read_status(status);
  return facts;
}

// The API omits empty fields.
void put_text(Edit status, std::string_view name, std::string_view text) {
  if (text.empty()) {
    status.remove(name);
  } else {
    status.set(name, text);
  }
}

void put_uids(Edit edit, std::string_view name, const std::vector<api::Uid>& uids) {
  edit.remove(name);
  if (uids.empty()) return;
  const Edit list = edit.array(name);
  for (const api::Uid& uid : uids) list.push(json::Value::string(edit.arena(), uid.view()));
}

// Fields that are written even if zero.
void put_known(Edit status, std::string_view name, std::optional<int64_t> count) {
  if (count) {
    status.set(name, *count);
  } else {
    status.remove(name);
  }
}

}  // namespace job_facts_reader

const JobFacts& job_facts(const api::Object& job) {
  return job.kept<JobFacts>([&] { return job_facts_reader::read(job); });
}

void put_status(api::Edit status, const JobStatus& wanted) {
  using namespace job_facts_reader;
  put_text(status, "startTime", wanted.start_time);
  put_count(status, "active", wanted.active);
  put_known(status, "ready", wanted.ready);
  put_known(status, "terminating", wanted.terminating);
  put_count(status, "succeeded", wanted.succeeded);
  put_count(status, "failed", wanted.failed);
  put_text(status, "completedIndexes", wanted.completed_indexes);
  if (wanted.failed_indexes) {
    status.set("failedIndexes", *wanted.failed_indexes);
  } else {
    status.remove("failedIndexes");
  }
  const api::Edit uncounted = status.object("uncountedTerminatedPods");
  put_uids(uncounted, "succeeded", wanted.uncounted_succeeded);
  put_uids(uncounted, "failed", wanted.uncounted_failed);
}

}  // namespace proa::controllers::jobs
