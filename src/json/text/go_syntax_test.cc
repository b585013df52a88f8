#include "json/text/go_syntax.h"

#include <gtest/gtest.h>

namespace proa::json {
namespace {

TEST(GoSyntaxError, AcceptsJson) {
  for (const char* text :
       {"{}", " [1, -0.5e+3, \"a\\u00e9\\n\", true, false, null] ", "0", "{\"a\":{\"b\":[]}}"}) {
    EXPECT_EQ(go_syntax_error(text), "") << text;
  }
}

TEST(GoSyntaxError, HasTheWordsOfGo) {
  const struct {
    std::string_view text;
    const char* expected;
  } cases[] = {
      {"", "unexpected end of JSON input"},
      {"{", "unexpected end of JSON input"},
      {"{\"a\"", "unexpected end of JSON input"},
      {"\"abc", "unexpected end of JSON input"},
      {"a: b", "invalid character 'a' looking for beginning of value"},
      {"{a}", "invalid character 'a' looking for beginning of object key string"},
      {"{\"a\":1,}", "invalid character '}' looking for beginning of object key string"},
      {"[1,]", "invalid character ']' looking for beginning of value"},
      {"{\"a\" 1}", "invalid character '1' after object key"},
      {"{\"a\":1 \"b\"}", "invalid character '\"' after object key:value pair"},
      {"[1 2]", "invalid character '2' after array element"},
      {"{}x", "invalid character 'x' after top-level value"},
      {"\"\n\"", "invalid character '\\n' in string literal"},
      {"\"\\x\"", "invalid character 'x' in string escape code"},
      {"\"\\u12g4\"", "invalid character 'g' in \\u hexadecimal character escape"},
      {"-", "invalid character ' ' in numeric literal"},
      {"01", "invalid character '1' after top-level value"},
      {"1.", "invalid character ' ' after decimal point in numeric literal"},
      {"1e+x", "invalid character 'x' in exponent of numeric literal"},
      {"tru", "invalid character ' ' in literal true (expecting 'e')"},
      {"nUll", "invalid character 'U' in literal null (expecting 'u')"},
      {"'a'", "invalid character '\\'' looking for beginning of value"},
      {std::string_view("\0", 1), "invalid character '\\x00' looking for beginning of value"},
      {"\xC3\xA9", "invalid character '\xC3\x83' looking for beginning of value"},
      {"\x85", "invalid character '\\u0085' looking for beginning of value"},
  };
  for (const auto& c : cases) EXPECT_EQ(go_syntax_error(c.text), c.expected) << c.text;
}

TEST(GoSyntaxError, IsBoundedInDepth) {
  EXPECT_EQ(go_syntax_error(std::string(10'001, '[')), "exceeded max depth");
  EXPECT_EQ(go_syntax_error(std::string(10'000, '[')), "unexpected end of JSON input");
}

}  // namespace
}  // namespace proa::json
