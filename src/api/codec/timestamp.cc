#include "api/codec/timestamp.h"

#include <fmt/format.h>

#include <chrono>
#include <optional>

namespace proa::api {
namespace timestamp {

using std::chrono::days;

// The seconds of the years 0 to 9999.
constexpr int64_t kFirst = -62167219200;
constexpr int64_t kLast = 253402300799;

std::string_view layout(TimePrecision precision) {
  return precision == TimePrecision::kSeconds ? "2006-01-02T15:04:05Z07:00"
                                              : "2006-01-02T15:04:05.000000Z07:00";
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

class Reader {
 public:
  Reader(std::string_view text, TimePrecision precision)
      : whole_(text), rest_(text), precision_(precision) {}

  Result<Timestamp> read() {
    const int year = number(4, 0, 9999, "2006", "");
    literal('-');
    const int month = number(2, 1, 12, "01", "month");
    literal('-');
    const int day = number(2, 1, 31, "02", "day");
    literal('T');
    const int hour = number(2, 0, 23, "15", "hour");
    literal(':');
    const int minute = number(2, 0, 59, "04", "minute");
    literal(':');
    const int second = number(2, 0, 59, "05", "second");
    const int nanos = fraction();
    const int64_t offset = zone();
    if (problem_.empty() && !rest_.empty()) problem_ = fmt::format(": extra text: \"{}\"", rest_);
    const std::chrono::year_month_day date(std::chrono::year(year),
                                           std::chrono::month(static_cast<unsigned>(month)),
                                           std::chrono::day(static_cast<unsigned>(day)));
    if (problem_.empty() && !date.ok()) out_of_range("day");
    if (!problem_.empty()) {
      return Status(Reason::kBadRequest, fmt::format("parsing time \"{}\"{}", whole_, problem_));
    }
    const int64_t since_day = std::chrono::sys_days(date).time_since_epoch().count();
    return Timestamp{since_day * 86400 + hour * 3600 + minute * 60 + second - offset, nanos};
  }

 private:
  void cannot_parse(std::string_view element) {
    if (problem_.empty()) {
      problem_ = fmt::format(" as \"{}\": cannot parse \"{}\" as \"{}\"", layout(precision_), rest_,
                             element);
    }
  }
  void out_of_range(std::string_view what) {
    if (problem_.empty()) problem_ = fmt::format(": {} out of range", what);
  }

  int number(size_t digits, int least, int most, std::string_view element, std::string_view what) {
    if (!problem_.empty()) return least;
    int value = 0;
    size_t count = 0;
    for (; count < digits && count < rest_.size() && is_digit(rest_[count]); ++count)
      value = value * 10 + (rest_[count] - '0');
    if (count < digits) {
      cannot_parse(element);
      return least;
    }
    rest_.remove_prefix(digits);
    if (value < least || value > most) out_of_range(what);
    return value;
  }

  void literal(char c) {
    if (!problem_.empty()) return;
    if (!rest_.starts_with(c)) return cannot_parse({&c, 1});
    rest_.remove_prefix(1);
  }

  int fraction() {
    if (!problem_.empty()) return 0;
    const bool there =
        rest_.size() > 1 && (rest_[0] == '.' || rest_[0] == ',') && is_digit(rest_[1]);
    const bool micros = precision_ == TimePrecision::kMicros;
    if (!there) {
      if (micros) cannot_parse(".000000");
      return 0;
    }
    rest_.remove_prefix(1);
    int value = 0;
    size_t count = 0;
    const size_t most = micros ? 6 : rest_.size();
    for (; count < most && count < rest_.size() && is_digit(rest_[count]); ++count) {
      if (count < 9) value = value * 10 + (rest_[count] - '0');
    }
    rest_.remove_prefix(count);
    if (micros && count < most) cannot_parse(".000000");
    for (; count < 9; ++count) value *= 10;
    return value;
  }

  int64_t zone() {
    if (!problem_.empty()) return 0;
    if (rest_.starts_with('Z')) {
      rest_.remove_prefix(1);
      return 0;
    }
    const std::string_view start = rest_;
    const bool behind = rest_.starts_with('-');
    if (!behind && !rest_.starts_with('+')) {
      cannot_parse("Z07:00");
      return 0;
    }
    rest_.remove_prefix(1);
    const int hour = number(2, 0, 24, "Z07:00", "time zone offset hour");
    literal(':');
    const int minute = number(2, 0, 60, "Z07:00", "time zone offset minute");
    if (problem_.find("cannot parse") != std::string::npos) {
      problem_.clear();
      rest_ = start;
      cannot_parse("Z07:00");
    }
    const int64_t offset = hour * 3600 + minute * 60;
    return behind ? -offset : offset;
  }

  std::string_view whole_;
  std::string_view rest_;
  TimePrecision precision_;
  std::string problem_;
};

}  // namespace timestamp

Result<Timestamp> parse_timestamp(std::string_view text, TimePrecision precision) {
  return timestamp::Reader(text, precision).read();
}

Result<std::string> format_timestamp(const Timestamp& time, TimePrecision precision) {
  if (time.seconds < timestamp::kFirst || time.seconds > timestamp::kLast)
    return Status(Reason::kBadRequest, "year outside of range [0,9999]");
  const std::chrono::seconds since(time.seconds);
  const auto day = std::chrono::floor<timestamp::days>(since);
  const std::chrono::year_month_day date{std::chrono::sys_days(day)};
  const int64_t second = (since - day).count();
  std::string text =
      fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", static_cast<int>(date.year()),
                  static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                  second / 3600, second / 60 % 60, second % 60);
  if (precision == TimePrecision::kMicros) text += fmt::format(".{:06}", time.nanos / 1000);
  return text + "Z";
}

}  // namespace proa::api
