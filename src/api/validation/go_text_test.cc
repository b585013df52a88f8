#include "api/validation/go_text.h"

#include <gtest/gtest.h>

#include <vector>

namespace proa::api {

TEST(GoText, QuotesAsFmtDoes) {
  const struct {
    std::string_view text, expected;
  } cases[] = {
      {"", R"("")"},
      {"plain", R"("plain")"},
      {"a\"b\\c", R"("a\"b\\c")"},
      {"a\nb\tc\x01\x7f", R"("a\nb\tc\x01\x7f")"},
      {"<&>", R"("<&>")"},
      {"\u00e9\u4e16", "\"\u00e9\u4e16\""},
      {"\u00a0\u200b\ufeff", R"("\u00a0\u200b\ufeff")"},
      {"\U000e0001", R"("\U000e0001")"},
      {"\xff", R"("\xff")"},
  };
  for (const auto& c : cases) EXPECT_EQ(quoted(c.text), c.expected);
}

TEST(GoText, NamesCodePoints) {
  EXPECT_EQ(code_point_text(7), "U+0007");
  EXPECT_EQ(code_point_text(U'\u00e9'), "U+00E9 '\u00e9'");
  EXPECT_EQ(code_point_text(U'\U0001F600'), "U+1F600 '\U0001F600'");
}

TEST(GoText, KnowsWhatCanBePrinted) {
  EXPECT_TRUE(is_printable(' '));
  EXPECT_TRUE(is_printable(U'~'));
  EXPECT_FALSE(is_printable(0x7F));
  EXPECT_FALSE(is_printable(0xA0));
  EXPECT_TRUE(is_printable(0xA1));
  EXPECT_TRUE(is_printable(0x2010));
  EXPECT_FALSE(is_printable(0x10FFFF));
}

TEST(GoText, AggregatesErrors) {
  EXPECT_EQ(aggregate_text(std::vector<std::string>{"a"}), "a");
  EXPECT_EQ(aggregate_text(std::vector<std::string>{"b", "a", "b"}), "[b, a]");
  EXPECT_EQ(aggregate_text(std::vector<std::string>{"a", "a"}), "a");
}

}  // namespace proa::api
