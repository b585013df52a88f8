#include "json/text/indent.h"

#include <gtest/gtest.h>

#include "json/parse.h"
#include "json/print.h"

namespace proa::json {
namespace {

constexpr size_t kMost = 1000;

TEST(Indent, WritesAsGoDoes) {
  EXPECT_EQ(
      indent("{\"a\":{},\"b\":[1,-2.5e3,[ ]],\"c\":{\"d\":\"x:{,}\\\"\\\\\"},\"e\":null}\n", kMost),
      "{\n  \"a\": {},\n  \"b\": [\n    1,\n    -2.5e3,\n    []\n  ],\n  \"c\": {\n"
      "    \"d\": \"x:{,}\\\"\\\\\"\n  },\n  \"e\": null\n}");
  EXPECT_EQ(indent("[]", kMost), "[]");
  EXPECT_EQ(indent("\"text\"", kMost), "\"text\"");
}

TEST(Indent, IsWhatThePrinterPrints) {
  const char* text = R"({"kind":"Status","list":[{"a":[]},{"b":{}},"a \n",true]})";
  EXPECT_EQ(indent(text, kMost), print_pretty(parse(text)->root()));
}

TEST(Indent, GivesUpWhenItBecomesTooLong) {
  const std::string deep = std::string(400, '[') + "1,2,3,4,5,6,7,8" + std::string(400, ']');
  EXPECT_FALSE(indent(deep, 4 * deep.size()));
  EXPECT_TRUE(indent(deep, 1000 * deep.size()));
  EXPECT_FALSE(indent("[1,2]", 4));
}

TEST(Indent, EndsOnTornText) {
  for (const char* text : {"", "{", "[1,", "\"open", "\"a\\", "}}}", "{\"a\":"}) {
    EXPECT_LE(indent(text, kMost)->size(), 64u) << text;
  }
}

}  // namespace
}  // namespace proa::json
