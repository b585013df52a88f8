#include "cel/values/text.h"

#include <gtest/gtest.h>

#include <string>

namespace proa::cel {
namespace {

constexpr size_t kNowhere = std::string_view::npos;

TEST(Text, IsCountedInCodePoints) {
  EXPECT_EQ(code_point_count(""), 0);
  EXPECT_EQ(code_point_count("0123456789abcdefg"), 17);
  EXPECT_EQ(code_point_count("0123456\u00e9\u20ac89abcdefgh"), 19);
  EXPECT_EQ(code_point_count("\xff\xff"), 2);
}

TEST(Text, HasPositionsOfCodePoints) {
  const std::string_view text = "0123456\u00e9\u20ac89abcdefgh";
  EXPECT_EQ(position_of_code_point(text, 0), 0U);
  EXPECT_EQ(position_of_code_point(text, 7), 7U);
  EXPECT_EQ(position_of_code_point(text, 8), 9U);
  EXPECT_EQ(position_of_code_point(text, 9), 12U);
  EXPECT_EQ(position_of_code_point(text, 18), text.size() - 1);
  EXPECT_EQ(position_of_code_point(text, 19), text.size());
  EXPECT_EQ(position_of_code_point(text, 20), kNowhere);
}

TEST(Text, IsFoundFromBothSides) {
  EXPECT_EQ(find_text("abcabc", "bc"), 1U);
  EXPECT_EQ(find_last_text("abcabc", "bc"), 4U);
  EXPECT_EQ(find_last_text("aaaa", "aa"), 2U);
  EXPECT_EQ(find_text("abc", "x"), kNowhere);
  EXPECT_EQ(find_last_text("abc", "abcd"), kNowhere);
}

// The product of both sizes would be 10^11.
TEST(Text, IsFoundInLinearTime) {
  const std::string text(1'000'000, 'a');
  const std::string many(100'000, 'a');
  EXPECT_EQ(find_text(text, many + "b"), kNowhere);
  EXPECT_EQ(find_last_text(text, "b" + many), kNowhere);
}

}  // namespace
}  // namespace proa::cel
