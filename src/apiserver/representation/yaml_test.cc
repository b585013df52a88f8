#include "apiserver/representation/yaml.h"

#include <gtest/gtest.h>

#include "json/parse.h"
#include "json/print.h"
#include "json/yaml.h"

namespace proa::apiserver {
namespace {

TEST(AsYaml, IsReadBackAsItWas) {
  for (const char* text :
       {"plain", "\x7F", "\xC2\x85",
        "a\xC2\x80\xC2\x9F"
        "b",
        "\xEF\xBB\xBF", "\xC2\xA0", "\xC3\xA9", "\xEF\xBF\xBD", "\xE2\x80\xA8", "tab\tand\nline"}) {
    json::Document document({}, json::Value::object());
    document.root().set(document.arena(), "k", json::Value::string(document.arena(), text));
    const std::string json = json::print(document.root());
    const Bytes yaml = as_yaml(Bytes(std::string(json)));
    const auto from_yaml = json::parse_yaml(yaml.view());
    ASSERT_TRUE(from_yaml.ok()) << json << ": " << from_yaml.status().message();
    EXPECT_EQ(json::print(from_yaml->root()), json);
  }
}

TEST(AsYaml, StaysJsonIfIndentationMultipliesIt) {
  std::string json;
  for (int i = 0; i < 400; ++i) json += R"({"a":)";
  json += "[1";
  for (int i = 0; i < 100'000; ++i) json += ",1";
  json += "]" + std::string(400, '}');
  EXPECT_EQ(as_yaml(Bytes(std::string(json))).view(), json);
}

}  // namespace
}  // namespace proa::apiserver
