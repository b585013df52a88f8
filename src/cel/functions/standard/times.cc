#include <optional>

#include "base/strings.h"
#include "cel/functions/standard/time_zone.h"
#include "cel/functions/tables.h"
#include "cel/values/context.h"
#include "cel/values/time.h"

namespace proa::cel {
namespace time_functions {

constexpr int64_t kSecond = 1'000'000'000;

using Part = int64_t (*)(const CalendarTime&, uint32_t fraction);

// Seconds east of UTC at a point in time, of "+01:30" or of a name.
Value zone_offset(Context& context, std::string_view zone, int64_t seconds) {
  const size_t colon = zone.find(':');
  if (colon == std::string_view::npos) {
    if (zone.empty() || zone == "UTC" || zone == "Local") return Value::integer(0);
    std::string error;
    const std::shared_ptr<const TimeZone> found = find_time_zone(zone, error);
    return found != nullptr ? Value::integer(found->offset(seconds)) : context.error(error);
  }
  std::string_view hours_text = zone.substr(0, colon);
  std::string_view minutes_text = zone.substr(colon + 1);
  for (std::string_view* text : {&hours_text, &minutes_text}) {
    const std::string_view whole = *text;
    if (text->starts_with('+') && !text->starts_with("+-")) text->remove_prefix(1);
    if (!parse_int(*text)) {
      return context.error("strconv.Atoi: parsing \"" + std::string(whole) + "\": invalid syntax");
    }
  }
  const int64_t hours = *parse_int(hours_text);
  const int64_t minutes = *parse_int(minutes_text);
  const int64_t offset = zone.starts_with('-') ? hours * 60 - minutes : hours * 60 + minutes;
  return Value::integer(offset * 60);
}

template <Part kPart>
Value of_utc(Context&, std::span<const Value> args) {
  return Value::integer(kPart(calendar_time(args[0].seconds()), args[0].fraction()));
}
template <Part kPart>
Value of_zone(Context& context, std::span<const Value> args) {
  const Value offset = zone_offset(context, args[1].text(), args[0].seconds());
  if (offset.is_error()) return offset;
  return Value::integer(
      kPart(calendar_time(args[0].seconds() + offset.as_int()), args[0].fraction()));
}

int64_t year(const CalendarTime& time, uint32_t) { return time.year; }
int64_t month(const CalendarTime& time, uint32_t) { return time.month - 1; }
int64_t day_of_year(const CalendarTime& time, uint32_t) { return time.day_of_year; }
int64_t day_of_month(const CalendarTime& time, uint32_t) { return time.day - 1; }
int64_t date(const CalendarTime& time, uint32_t) { return time.day; }
int64_t day_of_week(const CalendarTime& time, uint32_t) { return time.day_of_week; }
int64_t hours(const CalendarTime& time, uint32_t) { return time.hour; }
int64_t minutes(const CalendarTime& time, uint32_t) { return time.minute; }
int64_t seconds(const CalendarTime& time, uint32_t) { return time.second; }
int64_t milliseconds(const CalendarTime&, uint32_t fraction) { return fraction / 1'000'000; }

template <int64_t kUnit>
Value duration_in(Context&, std::span<const Value> args) {
  return Value::integer(args[0].nanoseconds() / kUnit);
}

constexpr FunctionRow kRows[] = {
    {"getFullYear", "timestamp_to_year", "timestamp.() -> int", of_utc<year>},
    {"getFullYear", "timestamp_to_year_with_tz", "timestamp.(string) -> int", of_zone<year>},
    {"getMonth", "timestamp_to_month", "timestamp.() -> int", of_utc<month>},
    {"getMonth", "timestamp_to_month_with_tz", "timestamp.(string) -> int", of_zone<month>},
    {"getDayOfYear", "timestamp_to_day_of_year", "timestamp.() -> int", of_utc<day_of_year>},
    {"getDayOfYear", "timestamp_to_day_of_year_with_tz", "timestamp.(string) -> int",
     of_zone<day_of_year>},
    {"getDayOfMonth", "timestamp_to_day_of_month", "timestamp.() -> int", of_utc<day_of_month>},
    {"getDayOfMonth", "timestamp_to_day_of_month_with_tz", "timestamp.(string) -> int",
     of_zone<day_of_month>},
    {"getDate", "timestamp_to_day_of_month_1_based", "timestamp.() -> int", of_utc<date>},
    {"getDate", "timestamp_to_day_of_month_1_based_with_tz", "timestamp.(string) -> int",
     of_zone<date>},
    {"getDayOfWeek", "timestamp_to_day_of_week", "timestamp.() -> int", of_utc<day_of_week>},
    {"getDayOfWeek", "timestamp_to_day_of_week_with_tz", "timestamp.(string) -> int",
     of_zone<day_of_week>},
    {"getHours", "timestamp_to_hours", "timestamp.() -> int", of_utc<hours>},
    {"getHours", "timestamp_to_hours_with_tz", "timestamp.(string) -> int", of_zone<hours>},
    {"getHours", "duration_to_hours", "duration.() -> int", duration_in<3600 * kSecond>},
    {"getMinutes", "timestamp_to_minutes", "timestamp.() -> int", of_utc<minutes>},
    {"getMinutes", "timestamp_to_minutes_with_tz", "timestamp.(string) -> int", of_zone<minutes>},
    {"getMinutes", "duration_to_minutes", "duration.() -> int", duration_in<60 * kSecond>},
    {"getSeconds", "timestamp_to_seconds", "timestamp.() -> int", of_utc<seconds>},
    {"getSeconds", "timestamp_to_seconds_tz", "timestamp.(string) -> int", of_zone<seconds>},
    {"getSeconds", "duration_to_seconds", "duration.() -> int", duration_in<kSecond>},
    {"getMilliseconds", "timestamp_to_milliseconds", "timestamp.() -> int", of_utc<milliseconds>},
    {"getMilliseconds", "timestamp_to_milliseconds_with_tz", "timestamp.(string) -> int",
     of_zone<milliseconds>},
    {"getMilliseconds", "duration_to_milliseconds", "duration.() -> int", duration_in<1'000'000>},
};

}  // namespace time_functions

std::span<const FunctionRow> time_rows() { return time_functions::kRows; }

}  // namespace proa::cel
