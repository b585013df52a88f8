#include "json/text/indent.h"

#include <gtest/gtest.h>

#include "json/parse.h"
#include "json/print.h"

namespace proa::json {
namespace {

TEST(Indent, WritesAsGoDoes) {
  EXPECT_EQ(indent("{\"a\":{},\"b\":[1,-2.5e3,[ ]],\"c\":{\"d\":\"x:{,}\\\"\\\\\"},\"e\":null}\n"),
            "{\n  \"a\": {},\n  \"b\": [\n    1,\n    -2.5e3,\n    []\n  ],\n  \"c\": {\n"
            "    \"d\": \"x:{,}\\\"\\\\\"\n  },\n  \"e\": null\n}");
  EXPECT_EQ(indent("[]"), "[]");
  EXPECT_EQ(indent("\"text\""), "\"text\"");
}

TEST(Indent, IsWhatThePrinterPrints) {
  const char* text = R"({"kind":"Status","list":[{"a":[]},{"b":{}},"a \n",true]})";
  EXPECT_EQ(indent(text), print_pretty(parse(text)->root()));
}

TEST(Indent, EndsOnTornText) {
  for (const char* text : {"", "{", "[1,", "\"open", "\"a\\", "}}}", "{\"a\":"}) {
    EXPECT_LE(indent(text).size(), 64u) << text;
  }
}

}  // namespace
}  // namespace proa::json
