#include "http/server/date.h"

#include <array>
#include <cstdio>

#include "base/clock.h"

namespace proa::http {
namespace date {

using std::chrono::days;
using std::chrono::seconds;

constexpr std::array<const char*, 7> kDays{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
constexpr std::array<const char*, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                              "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

}  // namespace date

std::string format_http_date(Time time) {
  const auto since = time.time_since_epoch();
  const std::chrono::sys_days day(std::chrono::floor<date::days>(since));
  const std::chrono::year_month_day civil(day);
  const std::chrono::hh_mm_ss clock(
      std::chrono::floor<date::seconds>(since - day.time_since_epoch()));
  std::array<char, 64> text{};
  const int size = std::snprintf(
      text.data(), text.size(), "%s, %02u %s %04d %02d:%02d:%02d GMT",
      date::kDays[std::chrono::weekday(day).c_encoding()], static_cast<unsigned>(civil.day()),
      date::kMonths[static_cast<unsigned>(civil.month()) - 1], static_cast<int>(civil.year()),
      static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
      static_cast<int>(clock.seconds().count()));
  return {text.data(), static_cast<size_t>(size)};
}

const std::string& current_http_date() {
  thread_local date::seconds formatted{-1};
  thread_local std::string text;
  const Time now = SystemClock().now();
  const auto second = std::chrono::floor<date::seconds>(now.time_since_epoch());
  if (second != formatted) {
    formatted = second;
    text = format_http_date(now);
  }
  return text;
}

}  // namespace proa::http
