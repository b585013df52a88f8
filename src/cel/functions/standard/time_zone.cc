#include "cel/functions/standard/time_zone.h"

#include <algorithm>
#include <chrono>
#include <map>

#include "base/files.h"
#include "base/threads/mutex.h"

namespace proa::cel {
namespace time_zones {

constexpr int64_t kDay = 86400;
constexpr int64_t kHour = 3600;

// A day of a year on which the clocks change, and when.
struct ChangeDay {
  char form = 'M';  // M: month, week, weekday; J: day without 29 February, from 1; D: day from 0
  int month = 0;
  int week = 0;
  int day = 0;
  int64_t time = 2 * kHour;  // of local time
};

// Reads a TZ string of POSIX from its front.
class RuleReader {
 public:
  explicit RuleReader(std::string_view text) : rest_(text) {}

  bool done() const { return rest_.empty(); }
  char next() const { return rest_.empty() ? '\0' : rest_[0]; }
  bool take(char c) {
    if (next() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  // "CET" or "<-03>".
  bool name() {
    if (take('<')) {
      const size_t end = rest_.find('>');
      if (end == std::string_view::npos) return false;
      rest_.remove_prefix(end + 1);
      return true;
    }
    const size_t end = std::min(rest_.find_first_of("0123456789,-+"), rest_.size());
    rest_.remove_prefix(end);
    return end >= 3;
  }

  std::optional<int> number(int least, int most) {
    size_t size = 0;
    int value = 0;
    while (size < rest_.size() && size < 4 && rest_[size] >= '0' && rest_[size] <= '9') {
      value = value * 10 + (rest_[size++] - '0');
    }
    rest_.remove_prefix(size);
    if (size == 0 || value < least || value > most) return std::nullopt;
    return value;
  }

  // [+-]hh[:mm[:ss]]
  std::optional<int64_t> time() {
    const bool negative = take('-');
    if (!negative) take('+');
    const std::optional<int> hours = number(0, 24 * 7);
    if (!hours) return std::nullopt;
    int64_t seconds = *hours * kHour;
    for (const int64_t unit : {int64_t{60}, int64_t{1}}) {
      if (!take(':')) break;
      const std::optional<int> part = number(0, 59);
      if (!part) return std::nullopt;
      seconds += *part * unit;
    }
    return negative ? -seconds : seconds;
  }

  std::optional<ChangeDay> change_day() {
    ChangeDay change;
    std::optional<int> day;
    if (take('M')) {
      const std::optional<int> month = number(1, 12);
      const bool dot = take('.');
      const std::optional<int> week = number(1, 5);
      if (!month || !dot || !week || !take('.')) return std::nullopt;
      change.month = *month;
      change.week = *week;
      day = number(0, 6);
    } else if (take('J')) {
      change.form = 'J';
      day = number(1, 365);
    } else {
      change.form = 'D';
      day = number(0, 365);
    }
    if (!day) return std::nullopt;
    change.day = *day;
    if (!take('/')) return change;
    const std::optional<int64_t> at = time();
    if (!at) return std::nullopt;
    change.time = *at;
    return change;
  }

 private:
  std::string_view rest_;
};

// Seconds since the epoch in local time.
int64_t local_change(const ChangeDay& change, std::chrono::year year) {
  using namespace std::chrono;
  const sys_days january{year / January / 1};
  sys_days date = january;
  if (change.form == 'M') {
    const month month(static_cast<unsigned>(change.month));
    const weekday weekday(static_cast<unsigned>(change.day));
    date = change.week == 5 ? sys_days(year / month / weekday[last])
                            : sys_days(year / month / weekday[static_cast<unsigned>(change.week)]);
  } else {
    int days_since = change.form == 'J' ? change.day - 1 : change.day;
    if (change.form == 'J' && change.day >= 60 && year.is_leap()) ++days_since;
    date = january + days(days_since);
  }
  return int64_t{date.time_since_epoch().count()} * kDay + change.time;
}

std::chrono::year year_of(int64_t seconds) {
  using namespace std::chrono;
  const int64_t day = seconds >= 0 ? seconds / kDay : (seconds - kDay + 1) / kDay;
  return year_month_day(sys_days(days(day))).year();
}

}  // namespace time_zones

std::optional<int64_t> posix_offset(std::string_view rule, int64_t seconds) {
  using namespace time_zones;
  RuleReader reader(rule);
  if (!reader.name()) return std::nullopt;
  const std::optional<int64_t> west = reader.time();
  if (!west) return std::nullopt;
  const int64_t standard = -*west;
  if (reader.done()) return standard;
  if (!reader.name()) return std::nullopt;
  int64_t daylight = standard + kHour;
  if (reader.next() != ',') {
    const std::optional<int64_t> other = reader.time();
    if (!other) return std::nullopt;
    daylight = -*other;
  }
  if (!reader.take(',')) return std::nullopt;
  const std::optional<ChangeDay> first = reader.change_day();
  if (!first || !reader.take(',')) return std::nullopt;
  const std::optional<ChangeDay> second = reader.change_day();
  if (!second || !reader.done()) return std::nullopt;
  const std::chrono::year year = year_of(seconds);
  const int64_t start = local_change(*first, year) - standard;
  const int64_t end = local_change(*second, year) - daylight;
  // On the southern half of the earth, the year begins with daylight time.
  const bool within =
      start < end ? seconds >= start && seconds < end : seconds >= start || seconds < end;
  return within ? daylight : standard;
}

const TimeZone::Period& TimeZone::first_period() const {
  const auto standard = std::find_if(periods_.begin(), periods_.end(),
                                     [](const Period& period) { return !period.daylight; });
  const bool first_is_used =
      std::any_of(transitions_.begin(), transitions_.end(),
                  [](const Transition& transition) { return transition.period == 0; });
  return !first_is_used || standard == periods_.end() ? periods_[0] : *standard;
}

int64_t TimeZone::offset(int64_t seconds) const {
  const auto after = std::upper_bound(
      transitions_.begin(), transitions_.end(), seconds,
      [](int64_t at, const Transition& transition) { return at < transition.seconds; });
  if (after == transitions_.end() && !rule_.empty()) {
    if (const std::optional<int64_t> offset = posix_offset(rule_, seconds)) return *offset;
  }
  if (after == transitions_.begin()) return first_period().offset;
  return periods_[(after - 1)->period].offset;
}

// A file: a header and a block with times of 32 bits, then both again with 64 bits, and the rule.
class TimeZoneReader {
 public:
  explicit TimeZoneReader(std::string_view data) : rest_(data) {}

  std::shared_ptr<const TimeZone> read() {
    Counts counts;
    if (!header(counts) || !skip(size_of(counts, 4)) || !header(counts)) return nullptr;
    auto zone = std::make_shared<TimeZone>();
    if (rest_.size() < size_of(counts, 8) || counts.periods == 0) return nullptr;
    for (uint32_t i = 0; i < counts.times; ++i) {
      zone->transitions_.push_back({.seconds = static_cast<int64_t>(number(8)), .period = 0});
    }
    for (uint32_t i = 0; i < counts.times; ++i) {
      zone->transitions_[i].period = static_cast<uint8_t>(number(1));
      if (zone->transitions_[i].period >= counts.periods) return nullptr;
    }
    for (uint32_t i = 0; i < counts.periods; ++i) {
      const auto offset = static_cast<int32_t>(static_cast<uint32_t>(number(4)));
      const bool daylight = number(1) != 0;
      number(1);
      zone->periods_.push_back({.offset = offset, .daylight = daylight});
    }
    skip(counts.characters + counts.leaps * 12 + counts.standard + counts.utc);
    if (rest_.starts_with('\n') && rest_.ends_with('\n') && rest_.size() >= 2) {
      zone->rule_ = rest_.substr(1, rest_.size() - 2);
    }
    return zone;
  }

 private:
  struct Counts {
    size_t utc = 0;
    size_t standard = 0;
    size_t leaps = 0;
    size_t times = 0;
    size_t periods = 0;
    size_t characters = 0;
  };

  static size_t size_of(const Counts& counts, size_t time_size) {
    return counts.times * (time_size + 1) + counts.periods * 6 + counts.characters +
           counts.leaps * (time_size + 4) + counts.standard + counts.utc;
  }

  // Big endian. REQUIRES: there are so many bytes.
  uint64_t number(size_t size) {
    uint64_t value = 0;
    for (const char c : rest_.substr(0, size)) value = value << 8 | static_cast<uint8_t>(c);
    rest_.remove_prefix(size);
    return value;
  }

  bool skip(size_t size) {
    if (rest_.size() < size) return false;
    rest_.remove_prefix(size);
    return true;
  }

  bool header(Counts& counts) {
    constexpr size_t kSize = 44;
    constexpr size_t kMost = 1 << 16;
    if (rest_.size() < kSize || !rest_.starts_with("TZif") || rest_[4] < '2') return false;
    rest_.remove_prefix(20);
    for (size_t* count : {&counts.utc, &counts.standard, &counts.leaps, &counts.times,
                          &counts.periods, &counts.characters}) {
      *count = number(4);
      if (*count > kMost) return false;
    }
    return true;
  }

  std::string_view rest_;
};

std::shared_ptr<const TimeZone> TimeZone::parse(std::string_view data) {
  return TimeZoneReader(data).read();
}

std::shared_ptr<const TimeZone> find_time_zone(std::string_view name, std::string& error) {
  constexpr size_t kMostZones = 64;
  constexpr size_t kLongestFile = 65536;
  if (name.find("..") != std::string_view::npos || name.starts_with('/') ||
      name.starts_with('\\')) {
    error = "time: invalid location name";
    return nullptr;
  }
  static Mutex mutex;
  static std::map<std::string, std::shared_ptr<const TimeZone>, std::less<>> known;
  {
    const MutexLock lock(mutex);
    if (const auto found = known.find(name); found != known.end()) return found->second;
  }
  SystemFiles files;
  std::shared_ptr<const TimeZone> zone;
  // A name comes from an expression: no byte of it ends a path early.
  if (name.find('\0') == std::string_view::npos) {
    const auto data = files.read_file("/usr/share/zoneinfo/" + std::string(name), kLongestFile);
    if (data.ok()) zone = TimeZone::parse(*data);
  }
  if (zone == nullptr) {
    error = "unknown time zone " + std::string(name);
    return nullptr;
  }
  const MutexLock lock(mutex);
  if (known.size() >= kMostZones) known.clear();
  known.emplace(name, zone);
  return zone;
}

}  // namespace proa::cel
