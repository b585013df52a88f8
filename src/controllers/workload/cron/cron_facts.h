#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/object/edit.h"
#include "api/object/object.h"
#include "controllers/framework/claim.h"
#include "controllers/workload/cron/due.h"

namespace proa::controllers::cron {

// What a CronJob wants, and what is known about it.
struct CronFacts {
  enum class Overlap : uint8_t { kAllow, kForbid, kReplace };  // of one run with the next

  std::string schedule = {};
  std::optional<std::string> time_zone = std::nullopt;
  bool suspended = false;
  Overlap overlap = Overlap::kAllow;
  std::optional<int64_t> starting_deadline_seconds = std::nullopt;
  std::optional<int64_t> successful_limit = std::nullopt;  // finished jobs that are kept
  std::optional<int64_t> failed_limit = std::nullopt;
  Time created{};
  std::optional<Time> last_schedule = std::nullopt;

  // What ran last, or could not before.
  Time since() const { return last_schedule.value_or(created); }
  // What was due before that is given up.
  Time since_within_deadline(Time now) const;
  bool same_times(const CronFacts& other) const {
    return schedule == other.schedule && time_zone == other.time_zone;
  }
};

// Read once for each state of the CronJob.
const CronFacts& cron_facts(const api::Object& cron_job);

// Failures are in upstream's words; kNotFound when it is the zone that is not known.
Result<Timetable> read_timetable(const CronFacts& facts);

// "<name>-<minutes since 1970>": the same for everybody who makes it, so that it is made once.
std::string job_name(std::string_view cron_job, Time scheduled);
// For which time such a job was made; none for others.
std::optional<Time> scheduled_time(const api::Object& job);
// The job of that time. `cron_job`: the whole object.
json::Document make_job(const Owner& owner, api::View cron_job, Time scheduled,
                        const kinds::TimeZone& zone);

}  // namespace proa::controllers::cron
