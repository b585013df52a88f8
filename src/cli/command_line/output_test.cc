#include "cli/command_line/output.h"

#include <gtest/gtest.h>

#include "json/parse.h"
#include "json/yaml.h"

namespace proa::cli {
namespace {

TEST(FormatBytes, IsShort) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(1023), "1023 B");
  EXPECT_EQ(format_bytes(1536), "1.5 KiB");
  EXPECT_EQ(format_bytes(uint64_t{3} << 30), "3.0 GiB");
  EXPECT_EQ(format_bytes(UINT64_MAX), "16.0 EiB");
}

TEST(Counted, KnowsOneFromMany) {
  EXPECT_EQ(counted(0, "pod"), "0 pods");
  EXPECT_EQ(counted(1, "pod"), "1 pod");
  EXPECT_EQ(counted(2, "pod"), "2 pods");
}

TEST(FormatValue, KnowsJsonAndYaml) {
  json::Document document;
  document.root() = json::Value::object();
  document.root().set(document.arena(), "name", json::Value::borrowed("a"));
  EXPECT_EQ(format_value(document.root(), "json"), "{\n  \"name\": \"a\"\n}\n");
  EXPECT_EQ(format_value(document.root(), "yaml"), "name: a\n");
}

TEST(FormatValue, YamlReadsBackAsTheSame) {
  const auto document = json::parse(
      R"({"a":{"b":[1,2.5,true,null,"x"],"empty":{},"none":[]},"rows":[{"k":"v","deep":{"n":[[1,2],[3]]}},{"k":""}],)"
      R"("odd":["yes","010","- a","a: b","#c","12","~","null","line\nbreak","-","0x1f","1e3","2026-01-02"],"on":"off"})");
  ASSERT_TRUE(document.ok());
  const std::string text = format_value(document->root(), "yaml");
  const auto read = json::parse_yaml(text);
  ASSERT_TRUE(read.ok()) << read.status().message() << "\n" << text;
  EXPECT_EQ(read->root(), document->root()) << text;
  EXPECT_TRUE(text.starts_with("a:\n  b:\n  - 1\n")) << text;
}

}  // namespace
}  // namespace proa::cli
