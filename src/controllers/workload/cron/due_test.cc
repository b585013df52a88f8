#include "controllers/workload/cron/due.h"

#include <gtest/gtest.h>

#include "base/files.h"

namespace proa::controllers::cron {
namespace {

Timetable timetable(std::string_view schedule) {
  return {kinds::Schedule::parse(schedule).value(), {}};
}
Time at(std::string_view text) { return parse_time("2026-" + std::string(text) + "Z").value(); }

TEST(FindDue, IsTheLatestTimeThatHasPassed) {
  struct Case {
    const char* name;
    const char* schedule;
    const char* since;
    const char* now;
    const char* latest;  // empty: none
    bool some_passed_over;
    bool too_many;
  };
  const Case cases[] = {
      {"not yet", "0 * * * *", "01-02T10:00:00", "01-02T10:59:59", "", false, false},
      {"just now", "0 * * * *", "01-02T10:00:00", "01-02T11:00:00", "01-02T11:00:00", false, false},
      {"one", "0 * * * *", "01-02T10:00:00", "01-02T11:59:00", "01-02T11:00:00", false, false},
      {"two", "0 * * * *", "01-02T10:00:00", "01-02T12:00:00", "01-02T12:00:00", true, false},
      {"a night", "0 * * * *", "01-02T10:00:00", "01-03T08:10:00", "01-03T08:00:00", true, false},
      {"a year", "* * * * *", "01-02T10:00:00", "12-02T10:10:05", "12-02T10:10:00", true, true},
      {"office hours", "30 6-16/4 * * 1-5", "01-02T10:00:00", "01-05T07:00:00", "01-05T06:30:00",
       true, false},
      {"every", "@every 90s", "01-02T10:00:10", "01-02T10:06:00", "01-02T10:04:40", true, false},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const Due due = find_due(timetable(c.schedule), at(c.since), at(c.now)).value();
    EXPECT_EQ(due.latest ? format_time(*due.latest).substr(5, 14) : "", c.latest);
    EXPECT_EQ(due.passed_over > 0, c.some_passed_over);
    EXPECT_EQ(due.passed_over > kTooManyMissed, c.too_many);
  }
}

TEST(FindDue, RefusesSchedulesThatNeverCome) {
  const Result<Due> due =
      find_due(timetable("59 23 31 2 *"), at("01-02T10:00:00"), at("01-02T11:00:00"));
  ASSERT_FALSE(due);
  EXPECT_EQ(due.status().message(), "time difference between two schedules is less than 1 second");
  EXPECT_EQ(time_to_next(timetable("59 23 31 2 *"), at("01-02T10:00:00"), at("01-02T11:00:00")),
            std::nullopt);
}

TEST(TimeToNext, IsAMomentAfterIt) {
  const auto wait = [](const char* schedule, const char* since, const char* now) {
    return time_to_next(timetable(schedule), at(since), at(now));
  };
  using std::chrono::milliseconds;
  EXPECT_EQ(wait("0 * * * *", "01-02T10:00:00", "01-02T10:00:00"), milliseconds(3600'100));
  EXPECT_EQ(wait("0 * * * *", "01-02T10:00:00", "01-02T10:59:59"), milliseconds(1'100));
  EXPECT_EQ(wait("0 * * * *", "01-02T10:00:00", "01-02T11:00:01"), milliseconds(3599'100));
  EXPECT_EQ(wait("0 * * * *", "01-02T10:00:00", "01-09T11:00:01"), milliseconds(3599'100));
}

TEST(FormatInZone, IsWhatAClockThereShows) {
  SystemFiles files;
  const auto in = [&](const char* zone, const char* time) {
    return format_in_zone(at(time), kinds::TimeZone::load(zone, files).value());
  };
  EXPECT_EQ(format_in_zone(at("01-02T15:04:05"), {}), "2026-01-02T15:04:05Z");
  EXPECT_EQ(in("Europe/Berlin", "01-02T15:04:05"), "2026-01-02T16:04:05+01:00");
  EXPECT_EQ(in("Europe/Berlin", "07-02T15:04:05"), "2026-07-02T17:04:05+02:00");
  EXPECT_EQ(in("Europe/London", "01-02T15:04:05"), "2026-01-02T15:04:05Z");
  EXPECT_EQ(in("America/St_Johns", "01-02T15:04:05"), "2026-01-02T11:34:05-03:30");
}

}  // namespace
}  // namespace proa::controllers::cron
