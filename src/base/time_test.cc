#include "base/time.h"

#include <gtest/gtest.h>

#include <limits>

namespace proa {
namespace time_test {

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

Time at(int64_t since_epoch, int64_t nanos = 0) {
  return Time(seconds(since_epoch) + Duration(nanos));
}

TEST(Time, PrintsWholeSecondsInUtc) {
  EXPECT_EQ(format_time(at(0)), "1970-01-01T00:00:00Z");
  EXPECT_EQ(format_time(at(1767366245, 999'999'999)), "2026-01-02T15:04:05Z");
  EXPECT_EQ(format_time(at(-1)), "1969-12-31T23:59:59Z");
  EXPECT_EQ(format_time(at(951782400)), "2000-02-29T00:00:00Z");
}

TEST(Time, PrintsTheFirstAndTheLast) {
  EXPECT_EQ(format_micro_time(Time::min()), "1677-09-21T00:12:43.145224Z");
  EXPECT_EQ(format_micro_time(Time::max()), "2262-04-11T23:47:16.854775Z");
}

TEST(Time, PrintsSixDigitsForMicroTime) {
  EXPECT_EQ(format_micro_time(at(1767366245, 123'456'789)), "2026-01-02T15:04:05.123456Z");
  EXPECT_EQ(format_micro_time(at(1767366245)), "2026-01-02T15:04:05.000000Z");
  EXPECT_EQ(format_micro_time(at(0, -1'000)), "1969-12-31T23:59:59.999999Z");
}

TEST(Time, ReadsWhatRfc3339Allows) {
  const struct {
    const char* text;
    Time expected;
  } cases[] = {
      {"1970-01-01T00:00:00Z", at(0)},
      {"2026-01-02T15:04:05Z", at(1767366245)},
      {"2026-01-02T16:34:05+01:30", at(1767366245)},
      {"2026-01-02T10:04:05-05:00", at(1767366245)},
      {"2026-01-02T15:04:05.5Z", at(1767366245, 500'000'000)},
      {"2026-01-02T15:04:05.123456789Z", at(1767366245, 123'456'789)},
      {"2026-01-02T15:04:05.1234567899Z", at(1767366245, 123'456'789)},
      {"2000-02-29T00:00:00Z", at(951782400)},
      {"1969-12-31T23:59:59.25Z", at(-1, 250'000'000)},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.text);
    const auto parsed = parse_time(c.text);
    ASSERT_TRUE(parsed.ok());
    EXPECT_EQ(*parsed, c.expected);
  }
}

TEST(Time, RefusesEverythingElse) {
  for (const char* text : {"",
                           "2026",
                           "2026-01-02",
                           "2026-01-02 15:04:05Z",
                           "2026-01-02T15:04:05",
                           "2026-01-02t15:04:05z",
                           "2026-13-02T15:04:05Z",
                           "2026-02-29T15:04:05Z",
                           "2026-00-02T15:04:05Z",
                           "2026-01-00T15:04:05Z",
                           "2026-01-02T24:04:05Z",
                           "2026-01-02T15:60:05Z",
                           "2026-01-02T15:04:60Z",
                           "2026-01-02T15:04:05.Z",
                           "2026-01-02T15:04:05+0100",
                           "2026-01-02T15:04:05+24:00",
                           "2026-01-02T15:04:05Zx",
                           "02026-01-02T15:04:05Z",
                           "-026-01-02T15:04:05Z",
                           "0000-01-02T15:04:05Z",
                           "0001-01-01T00:00:00Z",
                           "9999-12-31T23:59:59Z",
                           "2026-01-02T15:04:5Z",
                           "+026-01-02T15:04:05Z"}) {
    SCOPED_TRACE(text);
    EXPECT_TRUE(parse_time(text).is(Reason::kBadRequest));
  }
}

TEST(Time, SurvivesPrintingAndReading) {
  for (const int64_t second :
       {-9'000'000'000LL, -1LL, 0LL, 1LL, 1'767'366'245LL, 9'000'000'000LL}) {
    EXPECT_EQ(*parse_time(format_time(at(second))), at(second));
    EXPECT_EQ(*parse_time(format_micro_time(at(second, 7'000))), at(second, 7'000));
  }
}

TEST(Duration, PrintsAsGoDoes) {
  const struct {
    Duration duration;
    const char* expected;
  } cases[] = {
      {Duration(0), "0s"},
      {Duration(1), "1ns"},
      {Duration(1100), "1.1\u00B5s"},
      {microseconds(2200), "2.2ms"},
      {milliseconds(300), "300ms"},
      {milliseconds(1500), "1.5s"},
      {seconds(60), "1m0s"},
      {minutes(90), "1h30m0s"},
      {hours(24), "24h0m0s"},
      {minutes(5) + milliseconds(1), "5m0.001s"},
      {-milliseconds(1500), "-1.5s"},
      {Duration::max(), "2562047h47m16.854775807s"},
      {Duration::min(), "-2562047h47m16.854775808s"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(format_duration(c.duration), c.expected);
    const auto back = parse_duration(c.expected);
    ASSERT_TRUE(back.ok()) << c.expected;
    EXPECT_EQ(*back, c.duration);
  }
}

TEST(Duration, ReadsAsGoDoes) {
  const struct {
    const char* text;
    Duration expected;
  } cases[] = {
      {"0", Duration(0)},
      {"+5s", seconds(5)},
      {"-.5h", -minutes(30)},
      {"1.h", hours(1)},
      {"3h30m", minutes(210)},
      {"10.5s4m", seconds(250) + milliseconds(500)},
      {"12us", microseconds(12)},
      {"12\u03BCs", microseconds(12)},
      {"1h15m30.918273645s", hours(1) + minutes(15) + seconds(30) + Duration(918'273'645)},
      {"0.3333333333333333333h", minutes(20)},
      {"0.100000000000000000000h", minutes(6)},
      {"9223372036854775807ns", Duration::max()},
      {"-9223372036854775808ns", Duration::min()},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.text);
    const auto parsed = parse_duration(c.text);
    ASSERT_TRUE(parsed.ok());
    EXPECT_EQ(*parsed, c.expected);
  }
}

TEST(Duration, RefusesEverythingElse) {
  const struct {
    const char* text;
    const char* message;
  } cases[] = {
      {"", "time: invalid duration \"\""},
      {"-", "time: invalid duration \"-\""},
      {"s", "time: invalid duration \"s\""},
      {".", "time: invalid duration \".\""},
      {".s", "time: invalid duration \".s\""},
      {"3", "time: missing unit in duration \"3\""},
      {"1x", "time: unknown unit \"x\" in duration \"1x\""},
      {"1d", "time: unknown unit \"d\" in duration \"1d\""},
      {"9223372036854775808ns", "time: invalid duration \"9223372036854775808ns\""},
      {"3000000h", "time: invalid duration \"3000000h\""},
      {"-9223372036854775808ns9223372036854775808ns",
       "time: invalid duration \"-9223372036854775808ns9223372036854775808ns\""},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.text);
    const auto parsed = parse_duration(c.text);
    ASSERT_FALSE(parsed.ok());
    EXPECT_EQ(parsed.status().message(), c.message);
  }
}

}  // namespace time_test
}  // namespace proa
