#include "json/patch/pointer.h"

#include <gtest/gtest.h>

namespace proa::json {
namespace pointer_test {

using Tokens = std::vector<std::string>;

TEST(Pointer, IsReadAsUpstreamReadsIt) {
  const struct {
    const char* text;
    Tokens tokens;
  } cases[] = {
      // RFC 6901, section 5.
      {"", {}},
      {"/foo", {"foo"}},
      {"/foo/0", {"foo", "0"}},
      {"/", {""}},
      {"/a~1b", {"a/b"}},
      {"/c%d", {"c%d"}},
      {"/k\"l", {"k\"l"}},
      {"/ ", {" "}},
      {"/m~0n", {"m~n"}},
      {"/~01", {"~1"}},
      // What the RFC does not allow.
      {"a", {}},
      {"#/a", {"a"}},
      {"a/b/c", {"b", "c"}},
      {"/a~", {"a~"}},
      {"/a~2", {"a~2"}},
      {"/~/b", {"~", "b"}},
      {"/a/", {"a", ""}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.text);
    EXPECT_EQ(Pointer::parse(c.text).tokens(), c.tokens);
    EXPECT_EQ(Pointer::parse(c.text).is_root(), c.tokens.empty());
  }
}

TEST(ResolveIndex, ReadsNumbersAsGoDoes) {
  EXPECT_EQ(resolve_index("0", 3), 0u);
  EXPECT_EQ(resolve_index("2", 3), 2u);
  EXPECT_EQ(resolve_index("02", 3), 2u);
  EXPECT_EQ(resolve_index("+1", 3), 1u);
  EXPECT_EQ(resolve_index("-0", 3), 0u);
  EXPECT_EQ(resolve_index("-1", 3), 2u);
  EXPECT_EQ(resolve_index("-3", 3), 0u);
  for (const char* token :
       {"3", "-4", "", "-", "+", "a", "0x", " 0", "--1", "18446744073709551616"}) {
    EXPECT_EQ(resolve_index(token, 3), std::nullopt) << token;
  }
}

}  // namespace pointer_test
}  // namespace proa::json
