#include "base/time.h"

#include <array>
#include <cstdint>
#include <limits>
#include <optional>

#include <fmt/format.h>

namespace proa {
namespace time {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr int64_t kNanosPerSecond = 1'000'000'000;
constexpr size_t kFractionDigits = 9;

struct Civil {
  std::chrono::year_month_day date;
  std::chrono::hh_mm_ss<seconds> clock;
  int64_t nanos;
};

Civil civil(Time at) {
  // Not by chrono's floor, which overflows at the ends of Time's range.
  int64_t since = at.time_since_epoch().count() / kNanosPerSecond;
  int64_t nanos = at.time_since_epoch().count() % kNanosPerSecond;
  if (nanos < 0) {
    nanos += kNanosPerSecond;
    --since;
  }
  const auto day = std::chrono::floor<days>(seconds(since));
  return {std::chrono::year_month_day(std::chrono::sys_days(day)),
          std::chrono::hh_mm_ss<seconds>(seconds(since) - day), nanos};
}

std::string format_seconds(const Civil& at) {
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", static_cast<int>(at.date.year()),
                     static_cast<unsigned>(at.date.month()), static_cast<unsigned>(at.date.day()),
                     at.clock.hours().count(), at.clock.minutes().count(),
                     at.clock.seconds().count());
}

// Parses a fixed layout from the front of a text.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  // Exactly `count` digits, at most `most`.
  std::optional<int> number(size_t count, int most) {
    if (rest_.size() < count) return std::nullopt;
    int value = 0;
    for (size_t i = 0; i < count; ++i) {
      if (!digit(rest_[i])) return std::nullopt;
      value = value * 10 + (rest_[i] - '0');
    }
    if (value > most) return std::nullopt;
    rest_.remove_prefix(count);
    return value;
  }

  bool take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  // Digits after the point, at least one, as nanoseconds; those beyond the ninth are cut off.
  std::optional<int64_t> fraction() {
    int64_t value = 0;
    size_t count = 0;
    for (; !rest_.empty() && digit(rest_.front()); rest_.remove_prefix(1), ++count) {
      if (count < kFractionDigits) value = value * 10 + (rest_.front() - '0');
    }
    if (count == 0) return std::nullopt;
    for (; count < kFractionDigits; ++count) value *= 10;
    return value;
  }

  bool done() const { return rest_.empty(); }

 private:
  static bool digit(char c) { return c >= '0' && c <= '9'; }
  std::string_view rest_;
};

std::optional<seconds> read_offset(Reader& reader) {
  if (reader.take('Z')) return seconds(0);
  const bool behind = reader.take('-');
  if (!behind && !reader.take('+')) return std::nullopt;
  const auto hour = reader.number(2, 23);
  if (!hour || !reader.take(':')) return std::nullopt;
  const auto minute = reader.number(2, 59);
  if (!minute) return std::nullopt;
  const seconds offset = hours(*hour) + minutes(*minute);
  return behind ? -offset : offset;
}

// Seconds and nanoseconds; may lie outside of Time's range.
std::optional<std::pair<seconds, int64_t>> read(std::string_view text) {
  Reader reader(text);
  const auto year = reader.number(4, 9999);
  if (!year || !reader.take('-')) return std::nullopt;
  const auto month = reader.number(2, 12);
  if (!month || !reader.take('-')) return std::nullopt;
  const auto day = reader.number(2, 31);
  if (!day || !reader.take('T')) return std::nullopt;
  const auto hour = reader.number(2, 23);
  if (!hour || !reader.take(':')) return std::nullopt;
  const auto minute = reader.number(2, 59);
  if (!minute || !reader.take(':')) return std::nullopt;
  const auto second = reader.number(2, 59);
  if (!second) return std::nullopt;
  std::optional<int64_t> nanos = 0;
  if (reader.take('.')) nanos = reader.fraction();
  if (!nanos) return std::nullopt;
  const auto offset = read_offset(reader);
  if (!offset || !reader.done()) return std::nullopt;

  const std::chrono::year_month_day date(std::chrono::year{*year},
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day)));
  if (!date.ok() || *year < 1) return std::nullopt;
  const seconds since = std::chrono::sys_days(date).time_since_epoch() + hours(*hour) +
                        minutes(*minute) + seconds(*second) - *offset;
  return std::pair(since, *nanos);
}

// 2^63: as a magnitude valid with a minus sign only.
constexpr uint64_t kTwoTo63 = uint64_t{1} << 63;

struct Unit {
  std::string_view name;
  uint64_t nanos;
};

constexpr std::array kUnits{
    Unit{"ns", 1},
    Unit{"us", 1'000},
    Unit{"\u00B5s", 1'000},  // micro sign
    Unit{"\u03BCs", 1'000},  // Greek letter mu
    Unit{"ms", 1'000'000},
    Unit{"s", 1'000'000'000},
    Unit{"m", 60'000'000'000},
    Unit{"h", 3'600'000'000'000},
};

Status bad_duration(std::string_view what, std::string_view text) {
  return {Reason::kBadRequest, fmt::format("time: {} \"{}\"", what, text)};
}

// "12.5" at the front of a duration: the integer part, the fraction's digits, and its divisor.
struct Decimal {
  uint64_t whole = 0;
  uint64_t fraction = 0;
  double scale = 1;
};

std::optional<Decimal> read_decimal(std::string_view& rest) {
  const auto digit = [&] { return !rest.empty() && rest.front() >= '0' && rest.front() <= '9'; };
  Decimal decimal;
  bool any = false;
  for (; digit(); rest.remove_prefix(1), any = true) {
    if (decimal.whole > kTwoTo63 / 10) return std::nullopt;
    decimal.whole = decimal.whole * 10 + static_cast<uint64_t>(rest.front() - '0');
    if (decimal.whole > kTwoTo63) return std::nullopt;
  }
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    for (; digit(); rest.remove_prefix(1), any = true) {
      // Digits that no longer fit are too small to matter.
      if (decimal.fraction > (kTwoTo63 - 10) / 10) continue;
      decimal.fraction = decimal.fraction * 10 + static_cast<uint64_t>(rest.front() - '0');
      decimal.scale *= 10;
    }
  }
  if (!any) return std::nullopt;
  return decimal;
}

// A fraction of a second without trailing zeros: ".5", or nothing.
void append_fraction(std::string& out, uint64_t value, size_t digits) {
  if (value == 0) return;
  std::string text = fmt::format("{:0{}}", value, digits);
  text.erase(text.find_last_not_of('0') + 1);
  out += '.';
  out += text;
}

void append_below_second(std::string& out, uint64_t nanos) {
  if (nanos < 1'000) {
    out += fmt::format("{}ns", nanos);
  } else if (nanos < 1'000'000) {
    out += fmt::format("{}", nanos / 1'000);
    append_fraction(out, nanos % 1'000, 3);
    out += "\u00B5s";
  } else {
    out += fmt::format("{}", nanos / 1'000'000);
    append_fraction(out, nanos % 1'000'000, 6);
    out += "ms";
  }
}

}  // namespace time

std::string format_time(Time at) { return time::format_seconds(time::civil(at)) + "Z"; }

std::string format_micro_time(Time at) {
  const auto civil = time::civil(at);
  return fmt::format("{}.{:06}Z", time::format_seconds(civil), civil.nanos / 1'000);
}

Result<Time> parse_time(std::string_view text) {
  const auto refuse = [&](std::string_view why) {
    return Status(Reason::kBadRequest, fmt::format("time \"{}\" {}", text, why));
  };
  const auto read = time::read(text);
  if (!read) return refuse("is not RFC 3339, such as 2026-01-02T15:04:05Z");
  const auto [seconds, nanos] = *read;
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max() / time::kNanosPerSecond - 1;
  if (seconds.count() > kMost || seconds.count() < -kMost) {
    return refuse("is outside of the years 1678 to 2261");
  }
  return Time(Duration(seconds) + Duration(nanos));
}

std::string format_duration(Duration duration) {
  const int64_t count = duration.count();
  if (count == 0) return "0s";
  std::string out = count < 0 ? "-" : "";
  // Through unsigned: the most negative number has no positive counterpart.
  const uint64_t nanos = count < 0 ? -static_cast<uint64_t>(count) : static_cast<uint64_t>(count);
  if (nanos < time::kNanosPerSecond) {
    time::append_below_second(out, nanos);
    return out;
  }
  const uint64_t seconds = nanos / time::kNanosPerSecond;
  if (seconds >= 3600) out += fmt::format("{}h", seconds / 3600);
  if (seconds >= 60) out += fmt::format("{}m", seconds / 60 % 60);
  out += fmt::format("{}", seconds % 60);
  time::append_fraction(out, nanos % time::kNanosPerSecond, time::kFractionDigits);
  out += 's';
  return out;
}

Result<Duration> parse_duration(std::string_view text) {
  std::string_view rest = text;
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) rest.remove_prefix(1);
  if (rest == "0") return Duration(0);
  if (rest.empty()) return time::bad_duration("invalid duration", text);

  uint64_t total = 0;
  while (!rest.empty()) {
    const auto decimal = time::read_decimal(rest);
    if (!decimal) return time::bad_duration("invalid duration", text);
    const std::string_view name = rest.substr(0, rest.find_first_of(".0123456789"));
    if (name.empty()) return time::bad_duration("missing unit in duration", text);
    rest.remove_prefix(name.size());
    const time::Unit* unit = nullptr;
    for (const auto& known : time::kUnits) {
      if (known.name == name) unit = &known;
    }
    if (unit == nullptr) {
      return time::bad_duration(fmt::format("unknown unit \"{}\" in duration", name), text);
    }
    if (decimal->whole > time::kTwoTo63 / unit->nanos) {
      return time::bad_duration("invalid duration", text);
    }
    // Rounded as Go's time.ParseDuration rounds, through double.
    const double part = static_cast<double>(decimal->fraction) *
                        (static_cast<double>(unit->nanos) / decimal->scale);
    const uint64_t nanos = decimal->whole * unit->nanos + static_cast<uint64_t>(part);
    if (nanos > time::kTwoTo63 - total) return time::bad_duration("invalid duration", text);
    total += nanos;
  }
  if (negative) return Duration(static_cast<int64_t>(-total));
  if (total == time::kTwoTo63) return time::bad_duration("invalid duration", text);
  return Duration(static_cast<int64_t>(total));
}

}  // namespace proa
