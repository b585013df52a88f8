#include "controllers/workload/job/job_facts.h"

#include "controllers/framework/conditions.h"
#include "controllers/framework/times.h"
#include "controllers/framework/writes.h"

namespace proa::controllers::jobs {
namespace job_facts_reader {

using api::Edit;
using api::View;

// What spec.managedBy says of jobs that are this controller's.
constexpr std::string_view kOwnName = "kubernetes.io/job-controller";

std::optional<int64_t> number(View value) {
  return value.exists() ? std::optional(value.integer()) : std::nullopt;
}

JobSpec read_spec(View spec) {
  JobSpec facts;
  const std::string_view mode = spec["completionMode"].text("NonIndexed");
  facts.indexed = mode == "Indexed";
  facts.known_mode = facts.indexed || mode == "NonIndexed";
  facts.parallelism = spec["parallelism"].integer(1);
  facts.completions = number(spec["completions"]);
  facts.backoff_limit = spec["backoffLimit"].integer(6);
  facts.backoff_limit_per_index = number(spec["backoffLimitPerIndex"]);
  facts.max_failed_indexes = number(spec["maxFailedIndexes"]);
  facts.active_deadline_seconds = number(spec["activeDeadlineSeconds"]);
  facts.ttl_seconds_after_finished = number(spec["ttlSecondsAfterFinished"]);
  facts.suspended = spec["suspend"].flag();
  facts.restarts_in_place = spec["template"]["spec"]["restartPolicy"].text() == "OnFailure";
  facts.has_failure_policy = spec["podFailurePolicy"].exists();
  // Whether a pod that is on its way out has failed, the policy can't know yet.
  facts.replaces_only_failed =
      facts.has_failure_policy || spec["podReplacementPolicy"].text() == "Failed";
  facts.managed_elsewhere = spec["managedBy"].text(kOwnName) != kOwnName;
  facts.failure_rules = read_failure_rules(spec["podFailurePolicy"]);
  facts.success_rules = read_success_rules(spec["successPolicy"]);
  if (auto selector = api::LabelSelector::from(spec["selector"])) facts.selector = *selector;
  return facts;
}

std::vector<std::string> texts(View list) {
  std::vector<std::string> found;
  for (const View one : list.items()) found.emplace_back(one.text());
  return found;
}

JobStatus read_status(View status) {
  JobStatus facts;
  facts.start_time = status["startTime"].text();
  facts.active = status["active"].integer();
  facts.ready = number(status["ready"]);
  facts.terminating = number(status["terminating"]);
  facts.succeeded = status["succeeded"].integer();
  facts.failed = status["failed"].integer();
  facts.uncounted_succeeded = texts(status["uncountedTerminatedPods"]["succeeded"]);
  facts.uncounted_failed = texts(status["uncountedTerminatedPods"]["failed"]);
  facts.completed_indexes = status["completedIndexes"].text();
  if (status["failedIndexes"].exists()) facts.failed_indexes = status["failedIndexes"].text();
  return facts;
}

std::optional<End> read_ending(View status) {
  for (const auto& [type, success] :
       {std::pair("SuccessCriteriaMet", true), {"FailureTarget", false}}) {
    const View condition = find_condition(status, type);
    if (condition["status"].text() != "True") continue;
    return End{success, std::string(condition["reason"].text()),
               std::string(condition["message"].text())};
  }
  return std::nullopt;
}

JobFacts read(const api::Object& object) {
  JobFacts facts;
  const Result<json::Document> document = object.document();
  if (!document) return facts;
  const View job = document->root();
  const View status = job["status"];
  facts.name_space = object.metadata().name_space;
  facts.being_deleted = object.metadata().being_deleted;
  facts.spec = read_spec(job["spec"]);
  facts.status = read_status(status);
  facts.ending = read_ending(status);
  for (const char* type : {"Complete", "Failed"}) {
    if (!condition_holds(status, type)) continue;
    facts.finished = type;
    facts.finished_at = time_of(find_condition(status, type)["lastTransitionTime"]);
  }
  facts.completion_time = time_of(status["completionTime"]);
  return facts;
}

// What is empty is left out, as all of the API does it.
void put_text(Edit status, std::string_view name, std::string_view text) {
  if (text.empty()) {
    status.remove(name);
  } else {
    status.set(name, text);
  }
}

void put_texts(Edit edit, std::string_view name, const std::vector<std::string>& texts) {
  edit.remove(name);
  if (texts.empty()) return;
  const Edit list = edit.array(name);
  for (const std::string& text : texts) list.push(json::Value::string(edit.arena(), text));
}

// Those that say zero as well.
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
  put_texts(uncounted, "succeeded", wanted.uncounted_succeeded);
  put_texts(uncounted, "failed", wanted.uncounted_failed);
}

}  // namespace proa::controllers::jobs
