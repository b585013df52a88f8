#include "cel/functions/standard/time_zone.h"

#include <gtest/gtest.h>

namespace proa::cel {
namespace {

constexpr int64_t kHour = 3600;
constexpr int64_t kJanuary2024 = 1704067200;
constexpr int64_t kJuly2024 = 1719792000;

TEST(PosixOffset, FollowsTheRule) {
  constexpr std::string_view kBerlin = "CET-1CEST,M3.5.0,M10.5.0/3";
  EXPECT_EQ(posix_offset(kBerlin, kJanuary2024), kHour);
  EXPECT_EQ(posix_offset(kBerlin, kJuly2024), 2 * kHour);
  // 31 March 2024, 01:00 UTC.
  EXPECT_EQ(posix_offset(kBerlin, 1711846799), kHour);
  EXPECT_EQ(posix_offset(kBerlin, 1711846800), 2 * kHour);
}

TEST(PosixOffset, KnowsTheSouth) {
  constexpr std::string_view kSydney = "AEST-10AEDT,M10.1.0,M4.1.0/3";
  EXPECT_EQ(posix_offset(kSydney, kJanuary2024), 11 * kHour);
  EXPECT_EQ(posix_offset(kSydney, kJuly2024), 10 * kHour);
}

TEST(PosixOffset, KnowsOtherForms) {
  EXPECT_EQ(posix_offset("<-03>3", kJuly2024), -3 * kHour);
  EXPECT_EQ(posix_offset("<+0530>-5:30", kJuly2024), 5 * kHour + 1800);
  EXPECT_EQ(posix_offset("AAA0BBB,J60/0,J300/0", kJuly2024), kHour);
  EXPECT_EQ(posix_offset("AAA0BBB,0/0,365/25", kJuly2024), kHour);
}

TEST(PosixOffset, RefusesWhatIsMalformed) {
  for (const std::string_view rule :
       {"", "A", "CET", "CET-", "CET-1CEST", "CET-1CEST,", "CET-1CEST,M3.5.0",
        "CET-1CEST,M13.5.0,M1.1.1", "CET-1CEST,M3.5.0,M10.5.0/3x", "<-03", "CET-1CEST,M3,M4"}) {
    EXPECT_EQ(posix_offset(rule, kJuly2024), std::nullopt) << rule;
  }
}

TEST(TimeZone, RefusesWhatIsMalformed) {
  EXPECT_EQ(TimeZone::parse(""), nullptr);
  EXPECT_EQ(TimeZone::parse("TZif2"), nullptr);
  EXPECT_EQ(TimeZone::parse("TZif2" + std::string(39, '\0')), nullptr);
  EXPECT_EQ(TimeZone::parse("TZif2" + std::string(39, '\xff')), nullptr);
}

// A zone without transitions: one period, two hours east.
TEST(TimeZone, ReadsAFile) {
  const std::string first = "TZif2" + std::string(39, '\0');
  std::string second = "TZif2" + std::string(15, '\0') + std::string(12, '\0') +
                       std::string("\0\0\0\0\0\0\0\1\0\0\0\4", 12);
  second += std::string("\0\0\x1c\x20\0\0", 6) + std::string("EET\0", 4) + "\nEET-2\n";
  const auto zone = TimeZone::parse(first + second);
  ASSERT_NE(zone, nullptr);
  EXPECT_EQ(zone->offset(0), 2 * kHour);
}

TEST(FindTimeZone, RefusesPaths) {
  std::string error;
  EXPECT_EQ(find_time_zone("../etc/passwd", error), nullptr);
  EXPECT_EQ(error, "time: invalid location name");
  EXPECT_EQ(find_time_zone("/etc/passwd", error), nullptr);
  EXPECT_EQ(find_time_zone("Nowhere/City", error), nullptr);
  EXPECT_EQ(error, "unknown time zone Nowhere/City");
}

}  // namespace
}  // namespace proa::cel
