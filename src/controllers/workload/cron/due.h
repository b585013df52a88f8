#pragma once

#include <optional>

#include "base/result.h"
#include "kinds/batch/schedule.h"

namespace proa::controllers::cron {

// When a CronJob runs: a schedule, and where its clock hangs.
struct Timetable {
  kinds::Schedule schedule;
  kinds::TimeZone zone;

  std::optional<Time> next(Time after) const { return schedule.next(after, zone); }
};

// What should have begun after some moment.
struct Due {
  std::optional<Time> latest = std::nullopt;  // of all those times
  int64_t passed_over = 0;                    // about how many came before it; 0 for one alone
};

// How many of them are worth a warning.
inline constexpr int64_t kTooManyMissed = 100;

// In (since, now]. kInvalid when the schedule makes no sense, as February 30 does, in upstream's
// words.
Result<Due> find_due(const Timetable& timetable, Time since, Time now);

// How long to wait for what comes next, and a moment more, for clocks that are late; none when
// nothing does. `since`: when it ran last.
std::optional<Duration> time_to_next(const Timetable& timetable, Time since, Time now);

// RFC 3339 as a clock in that zone shows it: "2026-01-02T16:04:00+01:00".
std::string format_in_zone(Time time, const kinds::TimeZone& zone);

}  // namespace proa::controllers::cron
