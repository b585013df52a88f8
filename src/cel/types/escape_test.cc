#include "cel/types/escape.h"

#include <gtest/gtest.h>

namespace proa::cel {
namespace {

TEST(EscapeName, WritesWhatIdentifiersCannotHave) {
  struct Case {
    std::string_view name;
    std::optional<std::string> escaped;
  };
  for (const Case& c :
       {Case{"spec", "spec"}, Case{"a-b", "a__dash__b"}, Case{"a.b/c", "a__dot__b__slash__c"},
        Case{"a__b", "a__underscores__b"}, Case{"___", "__underscores___"}, Case{"for", "__for__"},
        Case{"forever", "forever"}, Case{"_x", "_x"}, Case{"", std::nullopt},
        Case{"1a", std::nullopt}, Case{"é", std::nullopt}, Case{"a b", std::nullopt},
        Case{"$ref", std::nullopt}}) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(escape_name(c.name), c.escaped);
    if (c.escaped) {
      EXPECT_EQ(unescape_name(*c.escaped), c.name);
    }
  }
}

TEST(UnescapeName, RefusesUnknownEscapes) {
  EXPECT_EQ(unescape_name("a__nope__b"), std::nullopt);
  EXPECT_EQ(unescape_name("a__for__b"), std::nullopt);
  EXPECT_EQ(unescape_name("a__b"), "a__b");
  EXPECT_EQ(unescape_name("plain"), "plain");
}

}  // namespace
}  // namespace proa::cel
