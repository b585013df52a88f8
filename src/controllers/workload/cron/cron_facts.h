#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/object/edit.h"
#include "api/object/object.h"
#include "controllers/framework/claim.h"
#include "controllers/workload/cron/due.h"

namespace proa::controllers::cron {

// Spec and status of a CronJob.
struct CronFacts {
  enum class Overlap : uint8_t { kAllow, kForbid, kReplace };  // concurrencyPolicy

  std::string schedule = {};
  std::optional<std::string> time_zone = std::nullopt;
  bool suspended = false;
  Overlap overlap = Overlap::kAllow;
  std::optional<int64_t> starting_deadline_seconds = std::nullopt;
  std::optional<int64_t> successful_limit = std::nullopt;  // number of finished jobs to keep
  std::optional<int64_t> failed_limit = std::nullopt;
  Time created{};
  std::optional<Time> last_schedule = std::nullopt;

  // The time of the last run, or the creation time.
  Time since() const { return last_schedule.value_or(created); }
  // Earlier runs are skipped (startingDeadlineSeconds).
  Time since_within_deadline(Time now) const;
  bool same_times(const CronFacts& other) const {
    return schedule == other.schedule && time_zone == other.time_zone;
  }
};

// Read once per version of the CronJob.
const CronFacts& cron_facts(const api::Object& cron_job);

// Errors have upstream's texts; kNotFound for an unknown time zone.
Result<Timetable> read_timetable(const CronFacts& facts);

// "<name>-<minutes since 1970>": deterministic, so that a job is not created twice.
std::string job_name(std::string_view cron_job, Time scheduled);
// The scheduled time of such a job; nullopt for other jobs.
std::optional<Time> scheduled_time(const api::Object& job);
// The job for that time. `cron_job`: the root of its document.
json::Document make_job(const Owner& owner, api::View cron_job, Time scheduled,
                        const kinds::TimeZone& zone);

}  // namespace proa::controllers::cron
