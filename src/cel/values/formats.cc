#include "cel/values/formats.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>

#include "base/strings.h"
#include "base/time.h"

namespace proa::cel {
namespace formats {

constexpr std::string_view kDate = "2006-01-02";
constexpr std::string_view kLocalTime = "2006-01-02T15:04:05";
constexpr std::string_view kZonedTime = "2006-01-02T15:04:05Z07:00";

// Go's time package has quotes of its own.
std::string quoted(std::string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<uint8_t>(c);
    if (byte >= 0x80 || byte < ' ') {
      out += {'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
      continue;
    }
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out += '"';
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Reads a time by a layout, as Go's time.Parse does, for its words.
class GoTime {
 public:
  GoTime(std::string_view layout, std::string_view text)
      : layout_(layout), text_(text), rest_(text) {}

  // Empty on success.
  std::string read() {
    read_parts();
    if (error_.empty() && !rest_.empty()) {
      error_ = "parsing time " + quoted(text_) + ": extra text: " + quoted(rest_);
    }
    if (error_.empty() && !calendar_date().ok()) out_of_range("day");
    return std::move(error_);
  }

  // REQUIRES: read() succeeded.
  Value value() const {
    const auto days = std::chrono::sys_days(calendar_date()).time_since_epoch().count();
    const int64_t seconds = int64_t{days} * 86400 + hour_ * 3600 + minute_ * 60 + second_ - offset_;
    return Value::timestamp(seconds, nanoseconds_);
  }

 private:
  void read_parts() {
    if (!number("2006", 4, 4, year_) || !literal("-") || !number("01", 2, 2, month_)) return;
    if (month_ < 1 || month_ > 12) return out_of_range("month");
    if (!literal("-") || !number("02", 2, 2, day_) || layout_ == kDate) return;
    if (!literal("T") || !number("15", 1, 2, hour_)) return;
    if (hour_ > 23) return out_of_range("hour");
    if (!literal(":") || !number("04", 2, 2, minute_)) return;
    if (minute_ > 59) return out_of_range("minute");
    if (!literal(":") || !number("05", 2, 2, second_)) return;
    if (second_ > 59) return out_of_range("second");
    fraction();
    if (layout_ == kZonedTime) zone();
  }

  std::chrono::year_month_day calendar_date() const {
    return std::chrono::year(year_) / static_cast<unsigned>(month_) / static_cast<unsigned>(day_);
  }

  void cannot_read(std::string_view element) {
    error_ = "parsing time " + quoted(text_) + " as " + quoted(layout_) + ": cannot parse " +
             quoted(rest_) + " as " + quoted(element);
  }
  void out_of_range(std::string_view part) {
    error_ = "parsing time " + quoted(text_) + ": " + std::string(part) + " out of range";
  }

  bool literal(std::string_view text) {
    if (rest_.starts_with(text)) {
      rest_.remove_prefix(text.size());
      return true;
    }
    cannot_read(text);
    return false;
  }

  bool number(std::string_view element, size_t least, size_t most, int& value) {
    size_t size = 0;
    while (size < most && size < rest_.size() && is_digit(rest_[size])) ++size;
    if (size < least) {
      cannot_read(element);
      return false;
    }
    value = static_cast<int>(*parse_int(rest_.substr(0, size)));
    rest_.remove_prefix(size);
    return true;
  }

  // Any number of digits; what is below a nanosecond is dropped.
  void fraction() {
    if (rest_.size() < 2 || (rest_[0] != '.' && rest_[0] != ',') || !is_digit(rest_[1])) return;
    rest_.remove_prefix(1);
    uint32_t unit = 100'000'000;
    for (; !rest_.empty() && is_digit(rest_[0]); rest_.remove_prefix(1), unit /= 10) {
      nanoseconds_ += static_cast<uint32_t>(rest_[0] - '0') * unit;
    }
  }

  void zone() {
    constexpr std::string_view kElement = "Z07:00";
    if (rest_.starts_with('Z')) {
      rest_.remove_prefix(1);
      return;
    }
    const bool well_formed = rest_.size() >= 6 && (rest_[0] == '+' || rest_[0] == '-') &&
                             rest_[3] == ':' && is_digit(rest_[1]) && is_digit(rest_[2]) &&
                             is_digit(rest_[4]) && is_digit(rest_[5]);
    if (!well_formed) return cannot_read(kElement);
    const int hours = (rest_[1] - '0') * 10 + (rest_[2] - '0');
    const int minutes = (rest_[4] - '0') * 10 + (rest_[5] - '0');
    const int sign = rest_[0] == '-' ? -1 : 1;
    rest_.remove_prefix(6);
    if (hours > 24) return out_of_range("time zone offset hour");
    if (minutes > 60) return out_of_range("time zone offset minute");
    offset_ = sign * (hours * 3600 + minutes * 60);
  }

  std::string_view layout_;
  std::string_view text_;
  std::string_view rest_;
  std::string error_;
  int year_ = 0;
  int month_ = 1;
  int day_ = 1;
  int hour_ = 0;
  int minute_ = 0;
  int second_ = 0;
  int offset_ = 0;
  uint32_t nanoseconds_ = 0;
};

struct Unit {
  std::string_view prefix;  // of the longest form
  std::string_view names[2];
  int64_t nanoseconds;
};
constexpr int64_t kSecond = 1'000'000'000;
constexpr Unit kUnits[] = {
    {"nano", {"ns", "ns"}, 1},
    {"micro", {"us", "µs"}, 1000},
    {"milli", {"ms", "ms"}, 1'000'000},
    {"sec", {"s", "s"}, kSecond},
    {"min", {"m", "m"}, 60 * kSecond},
    {"hour", {"h", "hr"}, 3600 * kSecond},
    {"day", {"d", "d"}, 86400 * kSecond},
    {"week", {"w", "wk"}, 7 * 86400 * kSecond},
};

// The letters of a unit at the start of a text, among them "µ".
size_t unit_size(std::string_view text) {
  size_t size = 0;
  while (size < text.size()) {
    const char c = text[size];
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
      ++size;
    } else if (text.substr(size).starts_with("µ")) {
      size += 2;
    } else {
      break;
    }
  }
  return size;
}

// Numbers with units in words anywhere in a text: "2 days, 3 hours". Sums wrap as Go's do.
// On failure, `error` says why.
std::optional<int64_t> duration_in_words(std::string_view text, std::string& error) {
  error = "unable to parse " + std::string(text) + " as duration";
  uint64_t sum = 0;
  bool found = false;
  while (true) {
    text.remove_prefix(std::min(text.find_first_of("0123456789"), text.size()));
    if (text.empty()) break;
    const size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    const std::string_view number = text.substr(0, digits);
    const std::optional<int64_t> factor = parse_int(number);
    text.remove_prefix(digits);
    std::string_view behind = text;
    behind.remove_prefix(std::min(behind.find_first_not_of(" \t\n\f\r"), behind.size()));
    const std::string unit = to_lower(behind.substr(0, unit_size(behind)));
    if (unit.empty()) continue;
    if (!factor) {
      error = "strconv.Atoi: parsing " + quoted(number) + ": value out of range";
      return std::nullopt;
    }
    for (const Unit& known : kUnits) {
      if (unit != known.names[0] && unit != known.names[1] && !unit.starts_with(known.prefix)) {
        continue;
      }
      found = true;
      sum += static_cast<uint64_t>(*factor) * static_cast<uint64_t>(known.nanoseconds);
    }
  }
  return found ? std::optional(static_cast<int64_t>(sum)) : std::nullopt;
}

// Decodes as Go's base64.URLEncoding does. Returns the place of the first error.
std::optional<size_t> decode(std::string_view text, std::string& out) {
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const auto skip_lines = [&](size_t& at) {
    while (at < text.size() && (text[at] == '\n' || text[at] == '\r')) ++at;
  };
  uint32_t bits = 0;
  int digits = 0;
  for (size_t at = 0; skip_lines(at), at < text.size(); ++at) {
    const size_t digit = kAlphabet.find(text[at]);
    if (digit != std::string_view::npos) {
      bits = bits << 6 | static_cast<uint32_t>(digit);
      if (++digits < 4) continue;
      out += {static_cast<char>(bits >> 16), static_cast<char>(bits >> 8), static_cast<char>(bits)};
      bits = 0;
      digits = 0;
      continue;
    }
    if (text[at] != '=' || digits < 2) return at;
    size_t next = at + 1;
    skip_lines(next);
    if (digits == 2) {
      if (next == text.size()) return next;
      if (text[next] != '=') return next - 1;
      ++next;
      skip_lines(next);
    }
    if (next < text.size()) return next;
    bits <<= 6 * (4 - digits);
    out += static_cast<char>(bits >> 16);
    if (digits == 3) out += static_cast<char>(bits >> 8);
    return std::nullopt;
  }
  if (digits > 0) return text.size() - static_cast<size_t>(digits);
  return std::nullopt;
}

Value failed(Arena& arena, std::string_view what, std::string_view text, std::string_view why) {
  return make_error(
      arena, "Invalid " + std::string(what) + " " + std::string(text) + ": " + std::string(why));
}

}  // namespace formats

Value read_date(Arena& arena, std::string_view text) {
  formats::GoTime time(formats::kDate, text);
  const std::string error = time.read();
  return error.empty() ? time.value()
                       : formats::failed(arena, "date formatted string", text, error);
}

Value read_date_time(Arena& arena, std::string_view text) {
  if (text.empty()) return Value::timestamp(0, 0);
  formats::GoTime zoned(formats::kZonedTime, text);
  if (zoned.read().empty()) return zoned.value();
  formats::GoTime local(formats::kLocalTime, text);
  const std::string error = local.read();
  return error.empty() ? local.value()
                       : formats::failed(arena, "date-time formatted string", text, error);
}

Value read_duration(Arena& arena, std::string_view text) {
  if (const Result<Duration> duration = parse_duration(text); duration.ok()) {
    return Value::duration(duration->count());
  }
  std::string error;
  if (const std::optional<int64_t> words = formats::duration_in_words(text, error)) {
    return Value::duration(*words);
  }
  return formats::failed(arena, "duration", text, error);
}

Value read_bytes(Arena& arena, std::string_view text) {
  std::string out;
  if (const std::optional<size_t> error = formats::decode(text, out)) {
    return formats::failed(arena, "byte formatted string", text,
                           "illegal base64 data at input byte " + std::to_string(*error));
  }
  return Value::bytes(arena.copy(out));
}

bool is_date(std::string_view text) { return formats::GoTime(formats::kDate, text).read().empty(); }

bool is_duration(std::string_view text) {
  if (parse_duration(text).ok()) return true;
  std::string error;
  return formats::duration_in_words(text, error).has_value();
}

bool is_date_time(std::string_view text) {
  const std::string lower = to_lower(text);
  const size_t mark = lower.find('t');
  if (mark == std::string::npos || !is_date(std::string_view(lower).substr(0, mark))) return false;
  std::string_view time = std::string_view(lower).substr(mark + 1);
  time = time.substr(0, time.find('t'));
  const auto digits = [&](size_t at) {
    return time.size() >= at + 2 && formats::is_digit(time[at]) && formats::is_digit(time[at + 1]);
  };
  if (!digits(0) || !digits(3) || !digits(6) || time[2] != ':' || time[5] != ':') return false;
  if (time.substr(0, 2) > "23" || time.substr(3, 2) > "59" || time.substr(6, 2) > "59") {
    return false;
  }
  time.remove_prefix(8);
  // A fraction: any character and digits, in upstream's pattern; then "z" or an offset.
  const auto is_zone = [](std::string_view zone) {
    return zone == "z" ||
           (zone.size() == 6 && (zone[0] == '+' || zone[0] == '-') && formats::is_digit(zone[1]) &&
            formats::is_digit(zone[2]) && zone[3] == ':' && formats::is_digit(zone[4]) &&
            formats::is_digit(zone[5]));
  };
  if (is_zone(time)) return true;
  const size_t end =
      time.size() < 2 ? std::string_view::npos : time.find_first_not_of("0123456789", 1);
  return end != std::string_view::npos && end > 1 && is_zone(time.substr(end));
}

}  // namespace proa::cel
