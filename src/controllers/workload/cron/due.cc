#include "controllers/workload/cron/due.h"

#include <fmt/format.h>

#include <cstdlib>

namespace proa::controllers::cron {
namespace cron_due {

// Added before truncation to whole seconds, for rounding.
constexpr Duration kHalfSecond = std::chrono::milliseconds(500);
// Upstream's nextScheduleDelta.
constexpr Duration kScheduleDelay = std::chrono::milliseconds(100);

int64_t seconds_of(Duration duration) {
  return std::chrono::duration_cast<std::chrono::seconds>(duration).count();
}

Status makes_no_sense() {
  return Status(Reason::kInvalid, "time difference between two schedules is less than 1 second");
}

}  // namespace cron_due

Result<Due> find_due(const Timetable& timetable, Time since, Time now) {
  const std::optional<Time> first = timetable.next(since);
  if (!first) return cron_due::makes_no_sense();
  if (now < *first) return Due{};
  const std::optional<Time> second = timetable.next(*first);
  if (second && now < *second) return Due{.latest = first};
  const int64_t between =
      second ? cron_due::seconds_of(*second - *first + cron_due::kHalfSecond) : 0;
  if (between < 1) return cron_due::makes_no_sense();
  // There may be years of missed times: most are skipped, assuming that all are as far apart as
  // these two. Two are left, since they may differ.
  const int64_t count = cron_due::seconds_of(now - *first) / between + 1;
  Due due{.passed_over = count};
  std::optional<Time> time = timetable.next(*first + std::chrono::seconds((count - 2) * between));
  for (; time && *time <= now; time = timetable.next(*time)) due.latest = time;
  return due;
}

std::optional<Duration> time_to_next(const Timetable& timetable, Time since, Time now) {
  const Result<Due> due = find_due(timetable, since, now);
  Time from = now;
  if (due && due->latest) {
    from = *due->latest;
  } else if (due && due->passed_over == 0) {
    from = since;
  }
  const std::optional<Time> next = timetable.next(from);
  if (!next) return std::nullopt;
  return *next - now + cron_due::kScheduleDelay;
}

std::string format_in_zone(Time time, const kinds::TimeZone& zone) {
  const int64_t moment = cron_due::seconds_of(time.time_since_epoch());
  const kinds::LocalTime local = zone.local(moment);
  const int64_t offset = (local.as_utc() - moment) / 60;
  const std::string text =
      fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", local.year, local.month, local.day,
                  local.hour, local.minute, local.second);
  if (offset == 0) return text + "Z";
  return text + fmt::format("{}{:02}:{:02}", offset < 0 ? '-' : '+', std::abs(offset) / 60,
                            std::abs(offset) % 60);
}

}  // namespace proa::controllers::cron
