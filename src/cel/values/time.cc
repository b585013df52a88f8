#include "cel/values/time.h"

#include <chrono>
#include <cstdio>

#include "api/codec/timestamp.h"

namespace proa::cel {

CalendarTime calendar_time(int64_t seconds) {
  using namespace std::chrono;
  int64_t days_since = seconds / 86400;
  int64_t rest = seconds % 86400;
  if (rest < 0) {
    rest += 86400;
    --days_since;
  }
  const sys_days date{days{days_since}};
  const year_month_day parts(date);
  CalendarTime time;
  time.year = static_cast<int>(parts.year());
  time.month = static_cast<int>(static_cast<unsigned>(parts.month()));
  time.day = static_cast<int>(static_cast<unsigned>(parts.day()));
  time.day_of_year = static_cast<int>((date - sys_days(parts.year() / January / 1)).count());
  time.day_of_week = static_cast<int>(weekday(date).c_encoding());
  time.hour = static_cast<int>(rest / 3600);
  time.minute = static_cast<int>(rest / 60 % 60);
  time.second = static_cast<int>(rest % 60);
  return time;
}

std::string print_timestamp(const Value& timestamp) {
  const CalendarTime time = calendar_time(timestamp.seconds());
  char text[48];
  std::snprintf(text, sizeof(text), "%04d-%02d-%02dT%02d:%02d:%02d", static_cast<int>(time.year),
                time.month, time.day, time.hour, time.minute, time.second);
  std::string out = text;
  if (timestamp.fraction() != 0) {
    std::snprintf(text, sizeof(text), ".%09u", timestamp.fraction());
    out += text;
    while (out.ends_with('0')) out.pop_back();
  }
  return out + "Z";
}

std::optional<Value> parse_timestamp(std::string_view text) {
  const Result<api::Timestamp> time = api::parse_timestamp(text, api::TimePrecision::kSeconds);
  if (!time.ok()) return std::nullopt;
  if (time->seconds < kMinSeconds || time->seconds > kMaxSeconds) {
    return Value::error("timestamp overflow");
  }
  return Value::timestamp(time->seconds, static_cast<uint32_t>(time->nanos));
}

}  // namespace proa::cel
