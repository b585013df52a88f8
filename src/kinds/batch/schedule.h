#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "kinds/batch/time_zone.h"

namespace proa::kinds {

// When a CronJob runs, as cron writes it: "*/5 8-18 * * mon-fri", "@daily", "@every 1h30m". What is
// accepted, refused and meant is what upstream's library (robfig/cron) does, summer time included;
// only that it can miss a day that begins at one o'clock, and this does not.
class Schedule {
 public:
  // Failures are kBadRequest, in the words of that library. "TZ=Name " in front is passed over:
  // CronJobs state their zone elsewhere, and validation refuses it.
  static Result<Schedule> parse(std::string_view text);

  // The first time after `after`; none when there is none within five years (February 30).
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
  Duration every_{0};  // instead of all that, where it is more than zero
};

}  // namespace proa::kinds
