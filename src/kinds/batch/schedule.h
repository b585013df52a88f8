#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "kinds/batch/time_zone.h"

namespace proa::kinds {

// The schedule of a CronJob in cron syntax: "*/5 8-18 * * mon-fri", "@daily", "@every 1h30m".
// Accepts, rejects and interprets the same as upstream's library (robfig/cron), including daylight
// saving time, with one exception: that library can miss a day that begins at one o'clock.
class Schedule {
 public:
  // On failure: kBadRequest with that library's message. A leading "TZ=Name " is skipped: CronJobs
  // have a field for the time zone, and validation rejects the prefix.
  static Result<Schedule> parse(std::string_view text);

  // The first time after `after`; nullopt if there is none within five years (February 30).
  std::optional<Time> next(Time after, const TimeZone& zone) const;

 private:
  // A set of numbers below 60, and whether it was written as "*".
  struct Set {
    uint64_t bits = 0;
    bool star = false;
    bool has(int64_t number) const { return (bits >> number & 1) != 0; }
  };
  friend class ScheduleParser;

  bool matches_day(const LocalTime& time) const;

  Set minutes_;
  Set hours_;
  Set days_;
  Set months_;
  Set weekdays_;
  Duration every_{0};  // if positive, replaces all of the above
};

}  // namespace proa::kinds
