#include "cel/values/formats.h"

#include <gtest/gtest.h>

#include "cel/values/print.h"

namespace proa::cel {
namespace {

using Read = Value (*)(Arena& arena, std::string_view text);

std::string read(Read function, std::string_view text) {
  Arena arena;
  return print_value(function(arena, text));
}

TEST(ReadDateTime, TakesWhatGoTakes) {
  EXPECT_EQ(read(read_date_time, "2024-02-29T12:30:45Z"), "timestamp(2024-02-29T12:30:45Z)");
  EXPECT_EQ(read(read_date_time, "2024-02-29T1:30:45.5+02:00"),
            "timestamp(2024-02-28T23:30:45.5Z)");
  EXPECT_EQ(read(read_date_time, "2024-02-29T12:30:45"), "timestamp(2024-02-29T12:30:45Z)");
  EXPECT_EQ(read(read_date_time, ""), "timestamp(1970-01-01T00:00:00Z)");
}

TEST(ReadDateTime, FailsInTheWordsOfGo) {
  constexpr std::string_view kStart = "error(Invalid date-time formatted string ";
  const auto error = [&](std::string_view text) {
    return read(read_date_time, text).substr(kStart.size() + text.size() + 2);
  };
  EXPECT_EQ(error("2024-13-01T00:00:00Z"),
            "parsing time \"2024-13-01T00:00:00Z\": month out of range)");
  EXPECT_EQ(error("2023-02-29T00:00:00Z"),
            "parsing time \"2023-02-29T00:00:00Z\": extra text: \"Z\")");
  EXPECT_EQ(error("2024-01-01"),
            "parsing time \"2024-01-01\" as \"2006-01-02T15:04:05\": cannot parse \"\" as \"T\")");
}

TEST(ReadDate, TakesDatesOnly) {
  EXPECT_EQ(read(read_date, "2024-02-29"), "timestamp(2024-02-29T00:00:00Z)");
  EXPECT_EQ(read(read_date, "2023-02-29"),
            "error(Invalid date formatted string 2023-02-29: parsing time \"2023-02-29\": day out "
            "of range)");
}

TEST(ReadDuration, TakesWords) {
  EXPECT_EQ(read(read_duration, "1h30m"), "duration(5400000000000)");
  EXPECT_EQ(read(read_duration, "2 days, 1 hour"), "duration(176400000000000)");
  EXPECT_EQ(read(read_duration, "3weeks"), "duration(1814400000000000)");
  EXPECT_EQ(read(read_duration, "soon"),
            "error(Invalid duration soon: unable to parse soon as duration)");
}

TEST(ReadBytes, TakesTheAlphabetOfUrls) {
  EXPECT_EQ(read(read_bytes, "YWJj"), "bytes(616263)");
  EXPECT_EQ(read(read_bytes, "YQ=="), "bytes(61)");
  EXPECT_EQ(read(read_bytes, "YWI=\n"), "bytes(6162)");
  EXPECT_EQ(read(read_bytes, "-_8="), "bytes(fbff)");
  for (const std::string_view text : {"a+b/", "YQ=", "YQ", "Y", "=", "YQ==x", "YWJjZA="}) {
    EXPECT_TRUE(read(read_bytes, text).starts_with("error(Invalid byte formatted string")) << text;
  }
}

TEST(IsDateTime, IsThatOfTheFormatLibrary) {
  EXPECT_TRUE(is_date_time("2024-01-01t00:00:00z"));
  EXPECT_TRUE(is_date_time("2024-01-01T00:00:00.123+01:00"));
  EXPECT_FALSE(is_date_time("2024-01-01T24:00:00Z"));
  EXPECT_FALSE(is_date_time("2024-01-01T00:00:00"));
  EXPECT_FALSE(is_date_time("2024-01-01"));
}

}  // namespace
}  // namespace proa::cel
