#pragma once

#include <optional>

#include "base/result.h"
#include "kinds/batch/schedule.h"

namespace proa::controllers::cron {

// A schedule and its time zone.
struct Timetable {
  kinds::Schedule schedule;
  kinds::TimeZone zone;

  std::optional<Time> next(Time after) const { return schedule.next(after, zone); }
};

// The scheduled times since some moment.
struct Due {
  std::optional<Time> latest = std::nullopt;  // the latest of them
  int64_t passed_over = 0;                    // approximate number of earlier ones
};

// The number of missed runs that causes a warning.
inline constexpr int64_t kTooManyMissed = 100;

// In (since, now]. kInvalid if the schedule never matches, such as on February 30; upstream's text.
Result<Due> find_due(const Timetable& timetable, Time since, Time now);

// Time until the next run, plus a margin for clock skew; nullopt if there is none. `since`: the
// last run.
std::optional<Duration> time_to_next(const Timetable& timetable, Time since, Time now);

// RFC 3339 in that time zone: "2026-01-02T16:04:00+01:00".
std::string format_in_zone(Time time, const kinds::TimeZone& zone);

}  // namespace proa::controllers::cron
