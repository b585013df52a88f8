#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "base/result.h"

namespace proa::kinds {

// A local date and time. Values beyond their range carry over: day 32, month 13.
struct LocalTime {
  int64_t year = 1970;
  int64_t month = 1;
  int64_t day = 1;
  int64_t hour = 0;
  int64_t minute = 0;
  int64_t second = 0;

  // Seconds since 1970 if this were UTC.
  int64_t as_utc() const;
  int64_t weekday() const;  // Sunday is 0
};

// A time zone of the IANA database, read from the system's files. Times are seconds since 1970.
class TimeZone {
 public:
  TimeZone() = default;  // UTC
  // kNotFound, "unknown time zone X", if there is no such time zone.
  static Result<TimeZone> load(std::string_view name, Files& files);
  // Parses the content of a TZif file (RFC 8536).
  static Result<TimeZone> parse(std::string_view content);

  LocalTime local(int64_t moment) const;
  // For local times that occur twice or never, uses the offset of one side of the transition.
  int64_t to_unix(const LocalTime& time) const;

 private:
  // The offset from a time on, until the next transition.
  struct Change {
    int64_t from;
    int64_t offset;  // east of Greenwich, in seconds
  };
  // "M3.5.0/2": when daylight saving time begins or ends in a year.
  struct YearlyChange {
    enum class Kind : uint8_t { kJulianWithoutLeapDay, kDayOfYear, kWeekdayOfMonth };
    Kind kind = Kind::kWeekdayOfMonth;
    int64_t month = 0;
    int64_t week = 0;
    int64_t day = 0;
    int64_t time = 2 * 3600;

    int64_t in_year(int64_t year) const;
  };
  // The rule for times after the last transition of the table.
  struct Rule {
    int64_t standard = 0;
    int64_t summer = 0;
    std::optional<YearlyChange> begins;
    std::optional<YearlyChange> ends;
  };
  friend class TimeZoneReader;

  int64_t offset_at(int64_t moment) const;
  int64_t rule_offset(int64_t moment) const;

  int64_t first_offset_ = 0;
  std::vector<Change> changes_;
  std::optional<Rule> rule_;
};

}  // namespace proa::kinds
