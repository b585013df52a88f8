#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cel/values/value.h"

namespace proa::cel {

inline constexpr int64_t kMinSeconds = -62135596800;  // 0001-01-01T00:00:00Z
inline constexpr int64_t kMaxSeconds = 253402300799;  // 9999-12-31T23:59:59Z

// RFC 3339 with nanoseconds as far as needed, in UTC. REQUIRES: a timestamp.
std::string print_timestamp(const Value& timestamp);
// A timestamp, or the error of one out of range; nullopt if it is malformed.
std::optional<Value> parse_timestamp(std::string_view text);

// The parts of a point in time, in some time zone.
struct CalendarTime {
  int64_t year = 1970;
  int month = 1;
  int day = 1;
  int day_of_year = 0;  // from 0
  int day_of_week = 0;  // Sunday is 0
  int hour = 0;
  int minute = 0;
  int second = 0;
};
CalendarTime calendar_time(int64_t seconds);

}  // namespace proa::cel
