#include "base/strings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace proa {
namespace strings_test {

using testing::ElementsAre;

TEST(Strings, SplitKeepsEmptyParts) {
  EXPECT_THAT(split("a,b,,c", ','), ElementsAre("a", "b", "", "c"));
  EXPECT_THAT(split(",", ','), ElementsAre("", ""));
  EXPECT_THAT(split("", ','), ElementsAre(""));
}

TEST(Strings, SplitOnceStopsAtTheFirst) {
  const auto halves = split_once("a=b=c", '=');
  ASSERT_TRUE(halves.has_value());
  EXPECT_EQ(halves->before, "a");
  EXPECT_EQ(halves->after, "b=c");
  EXPECT_FALSE(split_once("abc", '=').has_value());
}

TEST(Strings, JoinPutsSeparatorsBetween) {
  EXPECT_EQ(join(std::vector<std::string>{"a", "", "c"}, ", "), "a, , c");
  EXPECT_EQ(join(std::vector<std::string_view>{"a"}, ", "), "a");
  EXPECT_EQ(join(std::vector<std::string>{}, ", "), "");
}

TEST(Strings, TrimTakesWhiteSpaceFromBothSides) {
  EXPECT_EQ(trim(" \t a b\r\n"), "a b");
  EXPECT_EQ(trim(" \n"), "");
  EXPECT_EQ(trim(""), "");
}

TEST(Strings, CaseIsIgnoredForAsciiOnly) {
  EXPECT_EQ(to_lower("Content-TYPE \u00C4"), "content-type \u00C4");
  EXPECT_TRUE(equals_ignoring_case("Host", "hOST"));
  EXPECT_FALSE(equals_ignoring_case("Host", "Hosts"));
  EXPECT_FALSE(equals_ignoring_case("@", "`"));
  EXPECT_FALSE(equals_ignoring_case("[", "{"));
}

TEST(Strings, NumbersAreTheWholeText) {
  EXPECT_EQ(parse_int("-9223372036854775808"), INT64_MIN);
  EXPECT_EQ(parse_int("9223372036854775807"), INT64_MAX);
  EXPECT_EQ(parse_uint("18446744073709551615"), UINT64_MAX);
  EXPECT_EQ(parse_uint("007"), 7U);
  for (const char* text : {"", "+1", " 1", "1 ", "1x", "0x1", "1.0", "-", "9223372036854775808"}) {
    EXPECT_EQ(parse_int(text), std::nullopt) << text;
  }
  for (const char* text : {"", "-1", "+1", "18446744073709551616"}) {
    EXPECT_EQ(parse_uint(text), std::nullopt) << text;
  }
}

TEST(Strings, SameTextIsEqualityForEverySizeAndEveryDifferingByte) {
  for (size_t size = 0; size <= 40; ++size) {
    const std::string text(size, 'x');
    const std::string copy = text;
    EXPECT_TRUE(same_text(text, copy)) << size;
    EXPECT_FALSE(same_text(text, text + "x")) << size;
    for (size_t i = 0; i < size; ++i) {
      std::string other = text;
      other[i] = '\0';
      EXPECT_FALSE(same_text(text, other)) << size << " " << i;
    }
  }
  EXPECT_TRUE(same_text({}, ""));
}

}  // namespace strings_test
}  // namespace proa
