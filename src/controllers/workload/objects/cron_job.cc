#include "controllers/workload/objects/cron_job.h"

namespace proa::controllers::objects {

using api::entry;

const api::FieldTable& CronMetadata::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&CronMetadata::created>("creationTimestamp"),
  };
  static constexpr api::FieldTable kTable{.types = "meta.k8s.io/v1/ObjectMeta",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& CronJobSpec::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&CronJobSpec::schedule>("schedule"),
      entry<&CronJobSpec::time_zone>("timeZone"),
      entry<&CronJobSpec::starting_deadline_seconds>("startingDeadlineSeconds"),
      entry<&CronJobSpec::concurrency_policy>("concurrencyPolicy"),
      entry<&CronJobSpec::suspend>("suspend"),
      entry<&CronJobSpec::successful_limit>("successfulJobsHistoryLimit"),
      entry<&CronJobSpec::failed_limit>("failedJobsHistoryLimit"),
  };
  static constexpr api::FieldTable kTable{.types = "batch/v1/CronJobSpec", .entries = kEntries};
  return kTable;
}

const api::FieldTable& CronJobStatus::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&CronJobStatus::last_schedule>("lastScheduleTime"),
  };
  static constexpr api::FieldTable kTable{.types = "batch/v1/CronJobStatus", .entries = kEntries};
  return kTable;
}

const api::FieldTable& CronJob::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&CronJob::metadata>("metadata"),
      entry<&CronJob::spec>("spec"),
      entry<&CronJob::status>("status"),
  };
  static constexpr api::FieldTable kTable{.types = "batch/v1/CronJob", .entries = kEntries};
  return kTable;
}

}  // namespace proa::controllers::objects
