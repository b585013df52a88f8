#include "kinds/batch/time_zone.h"

#include <algorithm>

namespace proa::kinds {

namespace time_zone {

constexpr int64_t kDay = 24 * 3600;
constexpr size_t kMaxBytes = size_t{1} << 20;
constexpr size_t kHeaderBytes = 44;

Status malformed() { return Status(Reason::kInternalError, "malformed time zone information"); }

int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

bool is_leap(int64_t year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

// Days since 1970-01-01, computed with years that begin in March.
int64_t days_from_date(int64_t year, int64_t month, int64_t day) {
  year += floor_div(month - 1, 12);
  month = (month - 1) - floor_div(month - 1, 12) * 12 + 1;
  if (month <= 2) --year;
  const int64_t era = floor_div(year, 400);
  const int64_t year_of_era = year - era * 400;
  const int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5;
  const int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146097 + day_of_era - 719468 + day - 1;
}

LocalTime date_from_days(int64_t days) {
  days += 719468;
  const int64_t era = floor_div(days, 146097);
  const int64_t day_of_era = days - era * 146097;
  const int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const int64_t from_march = (5 * day_of_year + 2) / 153;
  const int64_t month = from_march + (from_march < 10 ? 3 : -9);
  return {.year = year_of_era + era * 400 + (month <= 2 ? 1 : 0),
          .month = month,
          .day = day_of_year - (153 * from_march + 2) / 5 + 1};
}

int64_t big_endian(std::string_view bytes) {
  uint64_t number = 0;
  for (const char byte : bytes) number = number << 8 | static_cast<unsigned char>(byte);
  // A signed 32-bit big-endian number.
  if (bytes.size() == 4) return static_cast<int32_t>(static_cast<uint32_t>(number));
  return static_cast<int64_t>(number);
}

}  // namespace time_zone

int64_t LocalTime::as_utc() const {
  return time_zone::days_from_date(year, month, day) * time_zone::kDay + hour * 3600 + minute * 60 +
         second;
}

int64_t LocalTime::weekday() const {
  const int64_t days = time_zone::days_from_date(year, month, day) + 4;
  return days - time_zone::floor_div(days, 7) * 7;
}

// Reads RFC 8536 files, and the rule in POSIX notation at their end.
class TimeZoneReader {
 public:
  static Result<TimeZone> read(std::string_view content) {
    const Header old = TRY(read_header(content));
    if (old.version < '2') return time_zone::malformed();
    // The 32-bit table is followed by the same data in 64 bits.
    const size_t skipped = old.size(4);
    if (skipped > content.size()) return time_zone::malformed();
    content.remove_prefix(skipped);
    const Header header = TRY(read_header(content));
    if (header.size(8) > content.size() || header.types == 0) return time_zone::malformed();
    TimeZone zone;
    TRY(read_table(content, header, zone));
    std::string_view footer = content.substr(header.size(8));
    if (footer.size() >= 2 && footer.front() == '\n')
      read_rule(footer.substr(1, footer.find('\n', 1) - 1), zone);
    return zone;
  }

 private:
  struct Header {
    char version = 0;
    size_t utc_flags = 0;
    size_t standard_flags = 0;
    size_t leaps = 0;
    size_t changes = 0;
    size_t types = 0;
    size_t characters = 0;

    size_t size(size_t time_bytes) const {
      return time_zone::kHeaderBytes + changes * (time_bytes + 1) + types * 6 + characters +
             leaps * (time_bytes + 4) + standard_flags + utc_flags;
    }
  };

  static Result<Header> read_header(std::string_view content) {
    if (content.size() < time_zone::kHeaderBytes || !content.starts_with("TZif"))
      return time_zone::malformed();
    Header header{.version = content[4]};
    size_t* const counts[] = {&header.utc_flags, &header.standard_flags, &header.leaps,
                              &header.changes,   &header.types,          &header.characters};
    for (size_t i = 0; i < std::size(counts); ++i) {
      const int64_t count = time_zone::big_endian(content.substr(20 + 4 * i, 4));
      if (count < 0 || count > int64_t{time_zone::kMaxBytes}) return time_zone::malformed();
      *counts[i] = static_cast<size_t>(count);
    }
    return header;
  }

  static Result<void> read_table(std::string_view content, const Header& header, TimeZone& zone) {
    const std::string_view times = content.substr(time_zone::kHeaderBytes);
    const std::string_view kinds = times.substr(header.changes * 8);
    const std::string_view types = kinds.substr(header.changes);
    const auto offset_of = [&](size_t type) {
      return time_zone::big_endian(types.substr(type * 6, 4));
    };
    zone.first_offset_ = offset_of(0);
    for (size_t i = 0; i < header.changes; ++i) {
      const auto type = static_cast<unsigned char>(kinds[i]);
      if (type >= header.types) return time_zone::malformed();
      zone.changes_.push_back(
          {.from = time_zone::big_endian(times.substr(i * 8, 8)), .offset = offset_of(type)});
    }
    return {};
  }

  // "CET-1CEST,M3.5.0,M10.5.0/3", "<+03>-3". An invalid rule is ignored.
  static void read_rule(std::string_view text, TimeZone& zone) {
    TimeZone::Rule rule;
    if (!skip_name(text)) return;
    const auto standard = take_time(text);
    if (!standard) return;
    rule.standard = -*standard;
    if (!text.empty()) {
      if (!skip_name(text)) return;
      rule.summer = rule.standard + 3600;
      if (!text.starts_with(',')) {
        const auto summer = take_time(text);
        if (!summer) return;
        rule.summer = -*summer;
      }
      rule.begins = take_yearly_change(text);
      rule.ends = take_yearly_change(text);
      if (!rule.begins || !rule.ends) return;
    }
    zone.rule_ = rule;
  }

  static bool skip_name(std::string_view& text) {
    size_t end = 0;
    if (text.starts_with('<')) {
      end = text.find('>');
      if (end == std::string_view::npos) return false;
      ++end;
    } else {
      end = std::min(text.find_first_of("0123456789+-,"), text.size());
    }
    text.remove_prefix(end);
    return end > 0;
  }

  static std::optional<int64_t> take_number(std::string_view& text) {
    int64_t number = 0;
    size_t digits = 0;
    for (; digits < text.size() && digits < 9 && text[digits] >= '0' && text[digits] <= '9';
         ++digits) {
      number = number * 10 + (text[digits] - '0');
    }
    if (digits == 0) return std::nullopt;
    text.remove_prefix(digits);
    return number;
  }

  // "-1", "3:30", "2:00:00", in seconds.
  static std::optional<int64_t> take_time(std::string_view& text) {
    const int64_t sign = text.starts_with('-') ? -1 : 1;
    if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
    int64_t seconds = 0;
    for (int64_t unit = 3600; unit >= 1; unit /= 60) {
      const auto number = take_number(text);
      if (!number) return std::nullopt;
      seconds += *number * unit;
      if (!text.starts_with(':')) break;
      text.remove_prefix(1);
    }
    return sign * seconds;
  }

  static std::optional<TimeZone::YearlyChange> take_yearly_change(std::string_view& text) {
    using Kind = TimeZone::YearlyChange::Kind;
    if (!text.starts_with(',')) return std::nullopt;
    text.remove_prefix(1);
    TimeZone::YearlyChange change{.kind = Kind::kDayOfYear};
    if (text.starts_with('J') || text.starts_with('M')) {
      change.kind = text[0] == 'J' ? Kind::kJulianWithoutLeapDay : Kind::kWeekdayOfMonth;
      text.remove_prefix(1);
    }
    if (change.kind == Kind::kWeekdayOfMonth) {
      for (int64_t* part : {&change.month, &change.week}) {
        const auto number = take_number(text);
        if (!number || !text.starts_with('.')) return std::nullopt;
        *part = *number;
        text.remove_prefix(1);
      }
    }
    const auto day = take_number(text);
    if (!day) return std::nullopt;
    change.day = *day;
    if (text.starts_with('/')) {
      text.remove_prefix(1);
      const auto time = take_time(text);
      if (!time) return std::nullopt;
      change.time = *time;
    }
    return change;
  }
};

Result<TimeZone> TimeZone::parse(std::string_view content) { return TimeZoneReader::read(content); }

Result<TimeZone> TimeZone::load(std::string_view name, Files& files) {
  if (name == "UTC") return TimeZone();
  const bool leads_out = name.empty() || name.front() == '/' || name.front() == '\\' ||
                         name.find("..") != std::string_view::npos;
  if (!leads_out) {
    const auto content =
        files.read_file("/usr/share/zoneinfo/" + std::string(name), time_zone::kMaxBytes);
    if (content.ok()) {
      auto zone = parse(*content);
      if (zone.ok()) return zone;
    }
  }
  return Status(Reason::kNotFound, "unknown time zone " + std::string(name));
}

LocalTime TimeZone::local(int64_t moment) const {
  const int64_t seconds = moment + offset_at(moment);
  const int64_t days = time_zone::floor_div(seconds, time_zone::kDay);
  const int64_t rest = seconds - days * time_zone::kDay;
  LocalTime time = time_zone::date_from_days(days);
  time.hour = rest / 3600;
  time.minute = rest / 60 % 60;
  time.second = rest % 60;
  return time;
}

int64_t TimeZone::to_unix(const LocalTime& time) const {
  const int64_t shown = time.as_utc();
  // The offset near that time is right, unless there is a transition in between.
  const int64_t guess = shown - offset_at(shown);
  const int64_t offset = offset_at(guess);
  return shown - offset;
}

int64_t TimeZone::offset_at(int64_t moment) const {
  const auto next =
      std::upper_bound(changes_.begin(), changes_.end(), moment,
                       [](int64_t wanted, const Change& change) { return wanted < change.from; });
  if (next == changes_.end() && rule_) return rule_offset(moment);
  return next == changes_.begin() ? first_offset_ : std::prev(next)->offset;
}

int64_t TimeZone::rule_offset(int64_t moment) const {
  if (!rule_->begins) return rule_->standard;
  const int64_t year =
      time_zone::date_from_days(time_zone::floor_div(moment + rule_->standard, time_zone::kDay))
          .year;
  const int64_t begins = rule_->begins->in_year(year) - rule_->standard;
  const int64_t ends = rule_->ends->in_year(year) - rule_->summer;
  // In the southern hemisphere, daylight saving time spans the new year.
  const bool summer =
      begins < ends ? moment >= begins && moment < ends : moment >= begins || moment < ends;
  return summer ? rule_->summer : rule_->standard;
}

int64_t TimeZone::YearlyChange::in_year(int64_t year) const {
  const int64_t new_year = time_zone::days_from_date(year, 1, 1);
  int64_t days = new_year + day;
  if (kind == Kind::kJulianWithoutLeapDay) {
    days = new_year + day - 1 + (time_zone::is_leap(year) && day >= 60 ? 1 : 0);
  } else if (kind == Kind::kWeekdayOfMonth) {
    const int64_t first = time_zone::days_from_date(year, month, 1);
    const int64_t ahead = (day - LocalTime{.year = year, .month = month}.weekday() + 7) % 7;
    days = first + ahead + (week - 1) * 7;
    // The fifth week means the last one.
    if (days >= time_zone::days_from_date(year, month + 1, 1)) days -= 7;
  }
  return days * time_zone::kDay + time;
}

}  // namespace proa::kinds
