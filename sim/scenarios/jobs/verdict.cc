#include "sim/scenarios/jobs/verdict.h"

#include <fmt/format.h>

#include "controllers/framework/conditions.h"
#include "controllers/workload/job/job_facts.h"

namespace proa::sim {
namespace verdict {

using controllers::jobs::Indexes;
using controllers::jobs::JobFacts;

int64_t failed_indexes(const JobFacts& job) {
  return Indexes::parse(job.status.failed_indexes.value_or(""), job.spec.completions.value_or(0))
      .count();
}

bool is_success_right(const JobFacts& job, std::string_view reason) {
  if (reason == "CompletionsReached") {
    return job.status.succeeded >= job.spec.completions.value_or(1);
  }
  if (reason != "SuccessPolicy" || job.spec.success_rules.empty()) return false;
  const auto& rule = job.spec.success_rules.front();
  const Indexes done = Indexes::parse(job.status.completed_indexes, *job.spec.completions);
  // Rules here require a count of indexes, or the first index.
  return rule.indexes ? done.has(0) : done.count() >= *rule.count;
}

bool is_past_backoff_limit(const JobFacts& job, int64_t restarts) {
  const int64_t limit = job.spec.backoff_limit;
  if (job.status.failed > limit) return true;
  return job.spec.restarts_in_place && restarts > 0 && restarts >= limit;
}

bool is_past_deadline(const JobFacts& job) {
  const Result<Time> began = parse_time(job.status.start_time);
  if (!job.spec.active_deadline_seconds || !began) return false;
  return *job.finished_at - *began >= std::chrono::seconds(*job.spec.active_deadline_seconds);
}

bool is_failure_right(const JobFacts& job, std::string_view reason, const PodHistory& history) {
  const int64_t lost = failed_indexes(job);
  if (reason == "BackoffLimitExceeded") return is_past_backoff_limit(job, history.restarts);
  if (reason == "PodFailurePolicy") return job.spec.has_failure_policy && history.fatal_failure;
  if (reason == "DeadlineExceeded") return is_past_deadline(job);
  if (reason == "FailedIndexes") {
    return lost > 0 && lost + job.status.succeeded >= job.spec.completions.value_or(0);
  }
  if (reason != "MaxFailedIndexesExceeded") return false;
  return job.spec.max_failed_indexes && lost > *job.spec.max_failed_indexes;
}

}  // namespace verdict

void check_verdict(const api::Object& job, const PodHistory& history, Violations& violations) {
  const controllers::jobs::JobFacts& facts = controllers::jobs::job_facts(job);
  const json::Document document = job.document().value();
  const api::View status = api::View(document.root())["status"];
  const std::string reason(controllers::find_condition(status, facts.finished)["reason"].text());
  const bool success = facts.finished == "Complete";
  const bool right = success ? verdict::is_success_right(facts, reason)
                             : verdict::is_failure_right(facts, reason, history);
  if (!right) {
    violations.push_back(fmt::format("{} for no good reason: '{}'", facts.finished, reason));
  }
  if (success != facts.completion_time.has_value()) {
    violations.emplace_back("completionTime is for success");
  }
}

}  // namespace proa::sim
