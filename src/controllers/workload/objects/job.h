#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "controllers/workload/objects/common.h"

namespace proa::controllers::objects {

struct JobPodSpec {
  std::string_view restart_policy;

  static const api::FieldTable& table();
};

struct JobTemplate {
  JobPodSpec spec;

  static const api::FieldTable& table();
};

struct JobExitCodes {
  std::optional<std::string> container;
  std::string_view op;
  std::vector<int64_t> values;

  static const api::FieldTable& table();
};

struct JobConditionPattern {
  std::string type;
  std::string status = "True";

  static const api::FieldTable& table();
};

struct JobFailureRule {
  std::string_view action;
  std::optional<JobExitCodes> exit_codes;
  std::vector<JobConditionPattern> conditions;

  static const api::FieldTable& table();
};

struct JobFailurePolicy {
  std::vector<JobFailureRule> rules;

  static const api::FieldTable& table();
};

struct JobSuccessRule {
  std::optional<std::string> indexes;
  std::optional<int64_t> count;

  static const api::FieldTable& table();
};

struct JobSuccessPolicy {
  std::vector<JobSuccessRule> rules;

  static const api::FieldTable& table();
};

struct JobSpec {
  int64_t parallelism = 1;
  std::optional<int64_t> completions;
  std::optional<int64_t> active_deadline_seconds;
  std::optional<JobFailurePolicy> failure_policy;
  JobSuccessPolicy success_policy;
  int64_t backoff_limit = 6;
  std::optional<int64_t> backoff_limit_per_index;
  std::optional<int64_t> max_failed_indexes;
  api::LabelSelector selector = api::LabelSelector::nothing();
  JobTemplate pod_template;
  std::optional<int64_t> ttl_seconds_after_finished;
  std::string_view completion_mode = "NonIndexed";
  bool suspend = false;
  std::string_view replacement_policy;
  std::optional<std::string> managed_by;

  static const api::FieldTable& table();
};

struct JobUncountedPods {
  std::vector<api::Uid> succeeded;
  std::vector<api::Uid> failed;

  static const api::FieldTable& table();
};

struct JobStatus {
  std::vector<StatusCondition> conditions;
  std::string start_time;
  std::optional<Time> completion_time;
  int64_t active = 0;
  int64_t succeeded = 0;
  int64_t failed = 0;
  std::optional<int64_t> terminating;
  std::string completed_indexes;
  std::optional<std::string> failed_indexes;
  JobUncountedPods uncounted;
  std::optional<int64_t> ready;

  static const api::FieldTable& table();
};

struct Job {
  JobSpec spec;
  JobStatus status;

  static const api::FieldTable& table();
};

}  // namespace proa::controllers::objects
