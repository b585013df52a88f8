#include "json/yaml_print.h"

#include <gtest/gtest.h>

#include "json/parse.h"
#include "json/print.h"
#include "json/yaml.h"

namespace proa::json {
namespace {

std::string yaml_of(std::string_view json) {
  const auto document = parse(json);
  return print_yaml(document->root(), 1 << 20).value_or("(too long)");
}

TEST(PrintYaml, Blocks) {
  EXPECT_EQ(yaml_of(R"({"b":[{"x":1,"y":[]},{"x":[[1,2],[3]]}],"a":{},"c":{"d":null,"e":true}})"),
            "a: {}\n"
            "b:\n"
            "- x: 1\n"
            "  \"y\": []\n"
            "- x:\n"
            "  - - 1\n"
            "    - 2\n"
            "  - - 3\n"
            "c:\n"
            "  d: null\n"
            "  e: true\n");
}

TEST(PrintYaml, KeysInTheOrderOfTheirNumbers) {
  EXPECT_EQ(yaml_of(R"({"a10":0,"a2":0,"B":0,"-":0,"a":0,"a02":0,"1":0})"),
            "'-': 0\n\"1\": 0\nB: 0\na: 0\na2: 0\na02: 0\na10: 0\n");
}

// What would be read as something else is quoted.
TEST(PrintYaml, Strings) {
  struct Case {
    const char* json;
    const char* yaml;
  };
  for (const Case& each : {
           Case{R"("plain text")", "plain text\n"},
           {R"("")", "\"\"\n"},
           {R"("yes")", "\"yes\"\n"},
           {R"("1.50")", "\"1.50\"\n"},
           {R"("0x1F")", "\"0x1F\"\n"},
           {R"("~")", "\"~\"\n"},
           {R"("12:30")", "\"12:30\"\n"},
           {R"("12:70")", "12:70\n"},
           {R"("2026-11-17T03:42:39Z")", "\"2026-11-17T03:42:39Z\"\n"},
           {R"("2026-11-17")", "\"2026-11-17\"\n"},
           {R"("2026-11-17T")", "2026-11-17T\n"},
           {R"(".inf")", "\".inf\"\n"},
           {R"("<<")", "<<\n"},
           {R"({"<<":{"a":1}})", "\"<<\":\n  a: 1\n"},
           {R"("a: b")", "'a: b'\n"},
           {R"("it's: 1")", "'it''s: 1'\n"},
           {R"("# x")", "'# x'\n"},
           {R"(" lead")", "' lead'\n"},
           {R"("a\tb")", "\"a\\tb\"\n"},
           {R"("\u007f")", "\"\\x7F\"\n"},
           {R"("two\nlines\n")", "|\n  two\n  lines\n"},
           {R"("two\nlines")", "|-\n  two\n  lines\n"},
           {R"("two\nlines\n\n")", "|+\n  two\n  lines\n\n"},
           {R"(1500000.5)", "1.5000005e+06\n"},
           {R"(0.5)", "0.5\n"},
       }) {
    EXPECT_EQ(yaml_of(each.json), each.yaml) << each.json;
    EXPECT_EQ(print(parse_yaml(yaml_of(each.json))->root()), print(parse(each.json)->root()));
  }
}

TEST(PrintYaml, FoldsLongLines) {
  const std::string word(30, 'x');
  EXPECT_EQ(yaml_of("{\"a\":\"" + word + " " + word + " " + word + " " + word + "\"}"),
            "a: " + word + " " + word + " " + word + "\n  " + word + "\n");
}

TEST(PrintYaml, EndsAtItsLimit) {
  const auto document = parse(R"({"a":[1,2,3,4,5,6,7,8,9,10]})");
  EXPECT_FALSE(print_yaml(document->root(), 10));
  EXPECT_TRUE(print_yaml(document->root(), 100));
}

}  // namespace
}  // namespace proa::json
