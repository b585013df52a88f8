#include "api/object/view.h"

#include <gtest/gtest.h>

#include "json/parse.h"

namespace proa::api {
namespace view_test {

json::Document parsed(std::string_view text) {
  auto document = json::parse(text);
  EXPECT_TRUE(document.ok()) << text;
  return std::move(*document);
}

}  // namespace view_test
using view_test::parsed;

TEST(View, ReadsWhatIsThere) {
  const auto document =
      parsed(R"({"spec":{"replicas":3,"paused":true,"name":"a","list":["x","y"],"ratio":1.5}})");
  const View spec = View(document.root())["spec"];
  EXPECT_EQ(spec["replicas"].integer(), 3);
  EXPECT_TRUE(spec["paused"].flag());
  EXPECT_EQ(spec["name"].text(), "a");
  EXPECT_EQ(spec["list"].item(1).text(), "y");
  EXPECT_EQ(spec["list"].size(), 2U);
  EXPECT_EQ(spec.members().size(), 5U);
  EXPECT_EQ(View(document.root()).at("spec.name").text(), "a");
  EXPECT_EQ(View(document.root()).at("spec").value(), spec.value());
}

TEST(View, ReadsWhatIsMissingAsNothing) {
  const auto document = parsed(R"({"null":null,"text":"a","number":1})");
  const View root(document.root());
  const View cases[] = {View(),
                        root["absent"],
                        root["null"],
                        root.at("absent.deeper.still"),
                        root["text"]["member"],
                        root["number"].item(0)};
  for (const View& view : cases) {
    EXPECT_FALSE(view.exists());
    EXPECT_FALSE(static_cast<bool>(view));
    EXPECT_EQ(view.text("fallback"), "fallback");
    EXPECT_EQ(view.integer(7), 7);
    EXPECT_TRUE(view.flag(true));
    EXPECT_TRUE(view.empty());
    EXPECT_TRUE(view.items().empty());
    EXPECT_TRUE(view.members().empty());
    EXPECT_FALSE(view.item(0).exists());
    EXPECT_EQ(view, View());
  }
}

TEST(View, ReadsAnotherKindAsNothing) {
  const auto document = parsed(R"({"text":"3","number":3,"ratio":3.5,"list":[1]})");
  const View root(document.root());
  EXPECT_EQ(root["text"].integer(), 0);
  EXPECT_EQ(root["number"].text(), "");
  EXPECT_EQ(root["ratio"].integer(), 0);
  EXPECT_FALSE(root["number"].flag());
  EXPECT_EQ(root["list"].text(), "");
  EXPECT_FALSE(root["list"].item(1).exists());
}

TEST(View, IsComparedDeeply) {
  const auto document =
      parsed(R"({"a":{"x":1,"y":[2]},"b":{"y":[2],"x":1},"c":{"x":1},"empty":{},"null":null})");
  const View root(document.root());
  EXPECT_EQ(root["a"], root["b"]);
  EXPECT_EQ(root["a"], root["a"]);
  EXPECT_NE(root["a"], root["c"]);
  EXPECT_NE(root["a"], View());
  EXPECT_NE(root["empty"], View());
  EXPECT_EQ(root["null"], root["absent"]);
}

}  // namespace proa::api
