#include "api/codec/timestamp.h"

#include <gtest/gtest.h>

namespace proa::api {
namespace {

struct Case {
  const char* text;
  TimePrecision precision;
  const char* expected;
};

TEST(Timestamp, ReadsAndWritesAsGoDoes) {
  constexpr auto kSeconds = TimePrecision::kSeconds;
  constexpr auto kMicros = TimePrecision::kMicros;
  const Case cases[] = {
      {"2026-01-02T03:04:05Z", kSeconds, "2026-01-02T03:04:05Z"},
      {"2026-01-02T03:04:05.999999999Z", kSeconds, "2026-01-02T03:04:05Z"},
      {"2026-01-02T03:04:05,5+05:30", kSeconds, "2026-01-01T21:34:05Z"},
      {"1969-12-31T23:59:59Z", kSeconds, "1969-12-31T23:59:59Z"},
      {"0001-01-01T00:00:00Z", kSeconds, "0001-01-01T00:00:00Z"},
      {"9999-12-31T23:59:59Z", kSeconds, "9999-12-31T23:59:59Z"},
      {"2024-02-29T00:00:00Z", kSeconds, "2024-02-29T00:00:00Z"},
      {"2026-01-02T03:04:05.123456Z", kMicros, "2026-01-02T03:04:05.123456Z"},
      {"1969-12-31T23:59:59.000001Z", kMicros, "1969-12-31T23:59:59.000001Z"},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.text);
    const auto time = parse_timestamp(one.text, one.precision);
    ASSERT_TRUE(time.ok()) << time.status().message();
    EXPECT_EQ(*format_timestamp(*time, one.precision), one.expected);
  }
}

TEST(Timestamp, SaysWhatIsWrongInTheWordsOfGo) {
  const std::string layout = "2006-01-02T15:04:05Z07:00";
  const auto message = [](std::string_view text, TimePrecision precision) {
    const auto time = parse_timestamp(text, precision);
    return time.ok() ? "fine" : time.status().message();
  };
  constexpr auto kSeconds = TimePrecision::kSeconds;
  EXPECT_EQ(message("", kSeconds),
            "parsing time \"\" as \"" + layout + "\": cannot parse \"\" as \"2006\"");
  EXPECT_EQ(message("2026-01-02", kSeconds),
            "parsing time \"2026-01-02\" as \"" + layout + "\": cannot parse \"\" as \"T\"");
  EXPECT_EQ(message("2026-01-02T03:04:05", kSeconds), "parsing time \"2026-01-02T03:04:05\" as \"" +
                                                          layout +
                                                          "\": cannot parse \"\" as \"Z07:00\"");
  EXPECT_EQ(message("2026-13-02T03:04:05Z", kSeconds),
            "parsing time \"2026-13-02T03:04:05Z\": month out of range");
  EXPECT_EQ(message("2025-02-29T03:04:05Z", kSeconds),
            "parsing time \"2025-02-29T03:04:05Z\": day out of range");
  EXPECT_EQ(message("2026-01-02T03:04:05Z!", kSeconds),
            "parsing time \"2026-01-02T03:04:05Z!\": extra text: \"!\"");
  // Exactly six digits.
  EXPECT_NE(message("2026-01-02T03:04:05Z", TimePrecision::kMicros), "fine");
  EXPECT_NE(message("2026-01-02T03:04:05.123Z", TimePrecision::kMicros), "fine");
  EXPECT_NE(message("2026-01-02T03:04:05.123456789Z", TimePrecision::kMicros), "fine");
}

TEST(Timestamp, KnowsTheZeroTime) {
  EXPECT_TRUE(parse_timestamp("0001-01-01T00:00:00Z", TimePrecision::kSeconds)->is_zero());
  EXPECT_FALSE(parse_timestamp("0001-01-01T00:00:01Z", TimePrecision::kSeconds)->is_zero());
}

}  // namespace
}  // namespace proa::api
