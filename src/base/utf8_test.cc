#include "base/utf8.h"

#include <gtest/gtest.h>

namespace proa {
namespace utf8_test {

TEST(Utf8, EncodesAndDecodesEveryCodePoint) {
  for (char32_t code = 0; code <= 0x10FFFF; ++code) {
    if (code >= 0xD800 && code <= 0xDFFF) continue;
    std::string text;
    append_utf8(text, code);
    const Utf8 back = decode_utf8(text);
    ASSERT_TRUE(back.valid) << static_cast<uint32_t>(code);
    ASSERT_EQ(back.code, code);
    ASSERT_EQ(back.size, text.size());
  }
}

TEST(Utf8, RefusesWhatIsNone) {
  for (const char* text :
       {"\x80", "\xC3", "\xC3(", "\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80", "\xE2\x82",
        "\xF0\x80\x80\x80", "\xF4\x90\x80\x80", "\xF8\x88\x80\x80\x80", "\xFF"}) {
    EXPECT_FALSE(is_utf8(text));
    EXPECT_EQ(decode_utf8(text).size, 1);
    EXPECT_EQ(decode_utf8(text).code, 0xFFFDU);
  }
  EXPECT_TRUE(is_utf8("na\u00EFve \U0001F600"));
  EXPECT_TRUE(is_utf8(""));
}

TEST(Utf8, WritesTheReplacementForSurrogates) {
  std::string text;
  append_utf8(text, 0xD800);
  append_utf8(text, 0x110000);
  EXPECT_EQ(text, "\uFFFD\uFFFD");
}

TEST(Utf8, ReplacesInvalidBytes) {
  EXPECT_EQ(valid_utf8("na\u00EFve"), "na\u00EFve");
  EXPECT_EQ(valid_utf8("a\xFF\xFE b\xC3"), "a\uFFFD\uFFFD b\uFFFD");
  EXPECT_EQ(valid_utf8(""), "");
}

TEST(Utf8, IsCutBetweenCharacters) {
  constexpr std::string_view kText = "a\u00EF\U0001F600";
  const size_t expected[] = {0, 1, 1, 3, 3, 3, 3, 7, 7};
  for (size_t limit = 0; limit < std::size(expected); ++limit) {
    SCOPED_TRACE(limit);
    EXPECT_EQ(valid_utf8(kText, limit), kText.substr(0, expected[limit]));
  }
  EXPECT_EQ(valid_utf8("ab\xFF", 4), "ab") << "U+FFFD has three bytes";
}

}  // namespace utf8_test
}  // namespace proa
