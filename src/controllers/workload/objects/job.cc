#include "controllers/workload/objects/job.h"

namespace proa::controllers::objects {

using api::entry;

const api::FieldTable& JobPodSpec::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&JobPodSpec::restart_policy>("restartPolicy"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/PodSpec", .entries = kEntries};
  return kTable;
}

const api::FieldTable& JobTemplate::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&JobTemplate::spec>("spec"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/PodTemplateSpec", .entries = kEntries};
  return kTable;
}

const api::FieldTable& JobExitCodes::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&JobExitCodes::container>("containerName"),
      entry<&JobExitCodes::op>("operator"),
      entry<&JobExitCodes::values>("values"),
  };
  static constexpr api::FieldTable kTable{
      .types = "batch/v1/PodFailurePolicyOnExitCodesRequirement", .entries = kEntries};
  return kTable;
}

const api::FieldTable& JobConditionPattern::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&JobConditionPattern::type>("type"),
      entry<&JobConditionPattern::status>("status"),
  };
  static constexpr api::FieldTable kTable{
      .types = "batch/v1/PodFailurePolicyOnPodConditionsPattern", .entries = kEntries};
  return kTable;
}

const api::FieldTable& JobFailureRule::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&JobFailureRule::action>("action"),
      entry<&JobFailureRule::exit_codes>("onExitCodes"),
      entry<&JobFailureRule::conditions>("onPodConditions"),
  };
  static constexpr api::FieldTable kTable{.types = "batch/v1/PodFailurePolicyRule",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& JobFailurePolicy::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&JobFailurePolicy::rules>("rules"),
  };
  static constexpr api::FieldTable kTable{.types = "batch/v1/PodFailurePolicy",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& JobSuccessRule::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&JobSuccessRule::indexes>("succeededIndexes"),
      entry<&JobSuccessRule::count>("succeededCount"),
  };
  static constexpr api::FieldTable kTable{.types = "batch/v1/SuccessPolicyRule",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& JobSuccessPolicy::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&JobSuccessPolicy::rules>("rules"),
  };
  static constexpr api::FieldTable kTable{.types = "batch/v1/SuccessPolicy", .entries = kEntries};
  return kTable;
}

const api::FieldTable& JobSpec::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&JobSpec::parallelism>("parallelism"),
      entry<&JobSpec::completions>("completions"),
      entry<&JobSpec::active_deadline_seconds>("activeDeadlineSeconds"),
      entry<&JobSpec::failure_policy>("podFailurePolicy"),
      entry<&JobSpec::success_policy>("successPolicy"),
      entry<&JobSpec::backoff_limit>("backoffLimit"),
      entry<&JobSpec::backoff_limit_per_index>("backoffLimitPerIndex"),
      entry<&JobSpec::max_failed_indexes>("maxFailedIndexes"),
      entry<&JobSpec::selector>("selector"),
      entry<&JobSpec::pod_template>("template"),
      entry<&JobSpec::ttl_seconds_after_finished>("ttlSecondsAfterFinished"),
      entry<&JobSpec::completion_mode>("completionMode"),
      entry<&JobSpec::suspend>("suspend"),
      entry<&JobSpec::replacement_policy>("podReplacementPolicy"),
      entry<&JobSpec::managed_by>("managedBy"),
  };
  static constexpr api::FieldTable kTable{.types = "batch/v1/JobSpec", .entries = kEntries};
  return kTable;
}

const api::FieldTable& JobUncountedPods::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&JobUncountedPods::succeeded>("succeeded"),
      entry<&JobUncountedPods::failed>("failed"),
  };
  static constexpr api::FieldTable kTable{.types = "batch/v1/UncountedTerminatedPods",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& JobStatus::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&JobStatus::conditions>("conditions"),
      entry<&JobStatus::start_time>("startTime"),
      entry<&JobStatus::completion_time>("completionTime"),
      entry<&JobStatus::active>("active"),
      entry<&JobStatus::succeeded>("succeeded"),
      entry<&JobStatus::failed>("failed"),
      entry<&JobStatus::terminating>("terminating"),
      entry<&JobStatus::completed_indexes>("completedIndexes"),
      entry<&JobStatus::failed_indexes>("failedIndexes"),
      entry<&JobStatus::uncounted>("uncountedTerminatedPods"),
      entry<&JobStatus::ready>("ready"),
  };
  static constexpr api::FieldTable kTable{.types = "batch/v1/JobStatus", .entries = kEntries};
  return kTable;
}

const api::FieldTable& Job::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&Job::spec>("spec"),
      entry<&Job::status>("status"),
  };
  static constexpr api::FieldTable kTable{.types = "batch/v1/Job", .entries = kEntries};
  return kTable;
}

}  // namespace proa::controllers::objects
