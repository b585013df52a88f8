#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "base/result.h"

namespace proa {

using Duration = std::chrono::nanoseconds;

// A point in calendar time since the Unix epoch: metav1.Time and MicroTime.
struct CalendarTag {
  using duration = Duration;
  using rep = Duration::rep;
  using period = Duration::period;
  using time_point = std::chrono::time_point<CalendarTag>;
  static constexpr bool is_steady = false;
};
using Time = std::chrono::time_point<CalendarTag>;

// A point on a monotonic clock; for deadlines and intervals.
struct SteadyTag {
  using duration = Duration;
  using rep = Duration::rep;
  using period = Duration::period;
  using time_point = std::chrono::time_point<SteadyTag>;
  static constexpr bool is_steady = true;
};
using Steady = std::chrono::time_point<SteadyTag>;

// RFC 3339 in UTC: "2026-01-02T15:04:05Z", as metav1.Time is printed (truncated to seconds).
std::string format_time(Time time);
// With microseconds, as metav1.MicroTime is printed.
std::string format_micro_time(Time time);
// RFC 3339 with any offset and up to nine fractional digits; further digits are dropped. Years 0001
// to 9999 are accepted if they fit into Time (1678 to 2261).
Result<Time> parse_time(std::string_view text);

// Go's notation: "1h30m0s", "1.5s", "300ms", "0s".
std::string format_duration(Duration duration);
Result<Duration> parse_duration(std::string_view text);

}  // namespace proa
