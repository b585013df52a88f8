#include "kinds/batch/schedule.h"

#include <fmt/format.h>

#include <span>
#include <vector>

#include "base/strings.h"

namespace proa::kinds {

namespace schedule {

constexpr std::string_view kMonths[] = {"jan", "feb", "mar", "apr", "may", "jun",
                                        "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::string_view kWeekdays[] = {"sun", "mon", "tue", "wed", "thu", "fri", "sat"};

// The range of a field; names count from its minimum.
struct Bounds {
  int64_t least;
  int64_t most;
  std::span<const std::string_view> names = {};
};

constexpr Bounds kMinute{0, 59};
constexpr Bounds kHour{0, 23};
constexpr Bounds kDay{1, 31};
constexpr Bounds kMonth{1, 12, kMonths};
constexpr Bounds kWeekday{0, 6, kWeekdays};

constexpr int kYearsToSearch = 5;

Status bad(std::string message) { return Status(Reason::kBadRequest, std::move(message)); }

std::vector<std::string_view> words(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> found;
  for (size_t start = text.find_first_not_of(separators); start != std::string_view::npos;) {
    const size_t end = std::min(text.find_first_of(separators, start), text.size());
    found.push_back(text.substr(start, end - start));
    start = text.find_first_not_of(separators, end);
  }
  return found;
}

Result<int64_t> parse_number(std::string_view text) {
  const bool plus = text.starts_with('+');
  const auto number = parse_int(plus && !text.starts_with("+-") ? text.substr(1) : text);
  if (!number) {
    const bool digits = !text.empty() && text.find_first_not_of("0123456789") == text.npos;
    return bad(fmt::format("failed to parse int from {0}: strconv.Atoi: parsing \"{0}\": {1}", text,
                           digits ? "value out of range" : "invalid syntax"));
  }
  if (*number < 0) return bad(fmt::format("negative number ({}) not allowed: {}", *number, text));
  return *number;
}

Result<int64_t> parse_number_or_name(std::string_view text, const Bounds& bounds) {
  for (size_t i = 0; i < bounds.names.size(); ++i) {
    if (equals_ignoring_case(text, bounds.names[i])) return bounds.least + int64_t(i);
  }
  return parse_number(text);
}

struct Range {
  int64_t first = 0;
  int64_t last = 0;
  int64_t step = 1;
  bool star = false;
};

Result<void> check_range(const Range& range, std::string_view text, const Bounds& bounds) {
  if (range.first < bounds.least) {
    return bad(fmt::format("beginning of range ({}) below minimum ({}): {}", range.first,
                           bounds.least, text));
  }
  if (range.last > bounds.most) {
    return bad(
        fmt::format("end of range ({}) above maximum ({}): {}", range.last, bounds.most, text));
  }
  if (range.first > range.last) {
    return bad(fmt::format("beginning of range ({}) beyond end of range ({}): {}", range.first,
                           range.last, text));
  }
  if (range.step == 0)
    return bad(fmt::format("step of range should be a positive number: {}", text));
  return {};
}

// "*", "5", "mon-fri", "*/10", "3-59/15".
Result<Range> parse_range(std::string_view text, const Bounds& bounds) {
  const auto range_and_step = split(text, '/');
  const auto ends = split(range_and_step[0], '-');
  Range range;
  if (ends[0] == "*" || ends[0] == "?") {
    range = {.first = bounds.least, .last = bounds.most, .star = true};
  } else {
    range.first = TRY(parse_number_or_name(ends[0], bounds));
    range.last = range.first;
    if (ends.size() > 2) return bad(fmt::format("too many hyphens: {}", text));
    if (ends.size() == 2) range.last = TRY(parse_number_or_name(ends[1], bounds));
  }
  if (range_and_step.size() > 2) return bad(fmt::format("too many slashes: {}", text));
  if (range_and_step.size() == 2) {
    range.step = TRY(parse_number(range_and_step[1]));
    // "5/10" means "5-59/10".
    if (ends.size() == 1) range.last = bounds.most;
    if (range.step > 1) range.star = false;
  }
  TRY(check_range(range, text, bounds));
  return range;
}

}  // namespace schedule

class ScheduleParser {
 public:
  static Result<Schedule::Set> parse_set(std::string_view text, const schedule::Bounds& bounds) {
    Schedule::Set set;
    for (const std::string_view part : schedule::words(text, ",")) {
      const schedule::Range range = TRY(schedule::parse_range(part, bounds));
      for (int64_t number = range.first; number <= range.last; number += range.step)
        set.bits |= uint64_t{1} << number;
      set.star = set.star || range.star;
    }
    return set;
  }

  static Result<Schedule> parse_fields(std::string_view text) {
    const auto fields = schedule::words(text, " \t\n\v\f\r");
    if (fields.size() != 5) {
      return schedule::bad(fmt::format("expected exactly 5 fields, found {}: [{}]", fields.size(),
                                       join(fields, " ")));
    }
    Schedule parsed;
    parsed.minutes_ = TRY(parse_set(fields[0], schedule::kMinute));
    parsed.hours_ = TRY(parse_set(fields[1], schedule::kHour));
    parsed.days_ = TRY(parse_set(fields[2], schedule::kDay));
    parsed.months_ = TRY(parse_set(fields[3], schedule::kMonth));
    parsed.weekdays_ = TRY(parse_set(fields[4], schedule::kWeekday));
    return parsed;
  }

  static Result<Schedule> parse_descriptor(std::string_view text) {
    if (text == "@yearly" || text == "@annually") return parse_fields("0 0 1 1 *");
    if (text == "@monthly") return parse_fields("0 0 1 * *");
    if (text == "@weekly") return parse_fields("0 0 * * 0");
    if (text == "@daily" || text == "@midnight") return parse_fields("0 0 * * *");
    if (text == "@hourly") return parse_fields("0 * * * *");
    constexpr std::string_view kEvery = "@every ";
    if (!text.starts_with(kEvery))
      return schedule::bad(fmt::format("unrecognized descriptor: {}", text));
    const auto duration = parse_duration(text.substr(kEvery.size()));
    if (!duration.ok()) {
      return schedule::bad(
          fmt::format("failed to parse duration {}: {}", text, duration.status().message()));
    }
    Schedule parsed;
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(*duration);
    parsed.every_ = std::max<Duration>(seconds, std::chrono::seconds(1));
    return parsed;
  }
};

Result<Schedule> Schedule::parse(std::string_view text) {
  if (text.empty()) return schedule::bad("empty spec string");
  if (text.starts_with("TZ=") || text.starts_with("CRON_TZ=")) {
    const size_t space = text.find(' ');
    if (space == std::string_view::npos)
      return schedule::bad("invalid schedule format: nothing behind the time zone");
    text = trim(text.substr(space));
  }
  if (text.starts_with('@')) return ScheduleParser::parse_descriptor(text);
  return ScheduleParser::parse_fields(text);
}

bool Schedule::matches_day(const LocalTime& time) const {
  const bool day = days_.has(time.day);
  const bool weekday = weekdays_.has(time.weekday());
  // If both are restricted, either may match.
  return days_.star || weekdays_.star ? day && weekday : day || weekday;
}

// Looks at month, day, hour and minute in turn; what does not match is moved on to the next one,
// with all behind it set back. Whenever that leads into a new month, day or hour, it starts over.
std::optional<Time> Schedule::next(Time after, const TimeZone& zone) const {
  const int64_t now = std::chrono::floor<std::chrono::seconds>(after.time_since_epoch()).count();
  if (every_ > Duration::zero()) return Time(std::chrono::seconds(now)) + every_;

  // Schedules have a resolution of one minute.
  int64_t moment = (now / 60 + 1) * 60;
  if (now < 0 && now % 60 != 0) moment -= 60;
  const int64_t last_year = zone.local(moment).year + schedule::kYearsToSearch;
  for (;;) {
    LocalTime time = zone.local(moment);
    if (time.year > last_year) return std::nullopt;
    if (!months_.has(time.month)) {
      moment = zone.to_unix({.year = time.year, .month = time.month + 1, .day = 1});
      continue;
    }
    if (!matches_day(time)) {
      const int64_t begins =
          zone.to_unix({.year = time.year, .month = time.month, .day = time.day + 1});
      // If daylight saving time begins at midnight, the day starts at one o'clock.
      moment = std::max(begins, moment + 60);
      const LocalTime start = zone.local(moment);
      if (start.hour > 12) moment += (24 - start.hour) * 3600;
      continue;
    }
    if (!hours_.has(time.hour)) {
      moment += 3600 - time.minute * 60 - time.second;
      continue;
    }
    if (!minutes_.has(time.minute)) {
      moment += 60 - time.second;
      continue;
    }
    return Time(std::chrono::seconds(moment));
  }
}

}  // namespace proa::kinds
