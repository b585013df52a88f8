#include "json/text/scan.h"

#include <gtest/gtest.h>

#include <string>

namespace proa::json {
namespace {

std::string members(std::string_view text) {
  std::string found;
  Scan scan(text);
  while (const auto member = scan.next_member()) {
    found += std::string(member->key) + " -> " + std::string(member->value) + "\n";
  }
  return found;
}

TEST(Scan, FindsMembersInOrder) {
  EXPECT_EQ(members(R"({"a":1,"b":{"c":[1,{"d":"}"}]},"e":"x,y","f":null})"),
            "a -> 1\nb -> {\"c\":[1,{\"d\":\"}\"}]}\ne -> \"x,y\"\nf -> null\n");
  EXPECT_EQ(members("{}"), "");
}

TEST(Scan, SeesWhereStringsEnd) {
  EXPECT_EQ(members(R"({"a":"\"","b":"\\","c":"\\\"}","d":1})"),
            "a -> \"\\\"\"\nb -> \"\\\\\"\nc -> \"\\\\\\\"}\"\nd -> 1\n");
}

TEST(Scan, FindsItems) {
  Scan scan(R"([1,"a,b",{"x":[1,2]},[]])");
  std::string found;
  while (const auto item = scan.next_item()) found += std::string(*item) + "\n";
  EXPECT_EQ(found, "1\n\"a,b\"\n{\"x\":[1,2]}\n[]\n");
}

TEST(Scan, FindsOneMember) {
  const std::string_view text = R"({"kind":"Pod","metadata":{"name":"a","uid":"u"}})";
  EXPECT_EQ(Scan::unquoted(Scan::find(Scan::find(text, "metadata"), "uid")), "u");
  EXPECT_EQ(Scan::find(text, "spec"), "");
  EXPECT_EQ(Scan::unquoted("12"), "");
}

TEST(Scan, ReadsNothingOutsideOfBrokenText) {
  const std::string text = R"({"a":"\\\"}","b":[{"c":"d"},1]})";
  for (size_t length = 0; length <= text.size(); ++length) {
    members(std::string(text.substr(0, length)));
    Scan scan(std::string_view(text).substr(length));
    for (int i = 0; i < 10 && scan.next_item(); ++i) {
    }
  }
}

}  // namespace
}  // namespace proa::json
