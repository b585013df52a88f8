#include "api/object/edit.h"

#include <gtest/gtest.h>

#include "json/parse.h"
#include "json/print.h"

namespace proa::api {
namespace edit_test {

json::Document parsed(std::string_view text) {
  auto document = json::parse(text);
  EXPECT_TRUE(document.ok()) << text;
  return std::move(*document);
}

// The document after a change.
template <typename Change>
std::string after(std::string_view text, Change change) {
  json::Document document = parsed(text);
  change(Edit(document));
  return json::print(document.root());
}

}  // namespace edit_test
using edit_test::after;
using edit_test::parsed;

TEST(Edit, SetsValues) {
  EXPECT_EQ(after(R"({"old":1})",
                  [](const Edit& object) {
                    // The text is destroyed before the document is printed.
                    object.set("text", std::string("a long text that is on the heap").c_str());
                    object.set("number", 7);
                    object.set("large", int64_t{1} << 40);
                    object.set("flag", true);
                    object.set("old", "new");
                  }),
            R"({"old":"new","text":"a long text that is on the heap","number":7,)"
            R"("large":1099511627776,"flag":true})");
}

TEST(Edit, SetsDefaultsWhereNothingIs) {
  EXPECT_EQ(after(R"({"a":"","b":null})",
                  [](const Edit& object) {
                    EXPECT_FALSE(object.set_default("a", "x"));
                    EXPECT_TRUE(object.set_default("b", "y"));
                    EXPECT_TRUE(object.set_default("c", 3));
                    EXPECT_FALSE(object.set_default("c", 4));
                  }),
            R"({"a":"","b":"y","c":3})");
}

TEST(Edit, CopiesFromOtherDocuments) {
  EXPECT_EQ(after(R"({"gone":1})",
                  [](const Edit& object) {
                    const json::Document other = parsed(R"({"spec":{"list":["a"]},"null":null})");
                    object.copy("spec", View(other.root())["spec"]);
                    object.copy("gone", View(other.root())["absent"]);
                    object.copy("none", View(other.root())["null"]);
                  }),
            R"({"spec":{"list":["a"]}})");
}

TEST(Edit, RemovesFields) {
  EXPECT_EQ(after(R"({"a":1,"b":2})",
                  [](const Edit& object) {
                    object.remove("a");
                    object.remove("absent");
                  }),
            R"({"b":2})");
}

TEST(Edit, MakesWhatIsNotThere) {
  EXPECT_EQ(after(R"({"kept":{"x":1},"wrong":"text","none":null})",
                  [](const Edit& object) {
                    object.object("kept").set("y", 2);
                    object.object("wrong").set("z", 3);
                    object.object("none");
                    const Edit list = object.array("list");
                    list.push_object().set("name", "a");
                    list.push(json::Value::integer(5));
                    EXPECT_EQ(list.size(), 2U);
                    list.item(0).set("name", "b");
                  }),
            R"({"kept":{"x":1,"y":2},"wrong":{"z":3},"none":{},"list":[{"name":"b"},5]})");
}

TEST(Edit, LooksAtWhatItChanges) {
  json::Document document = parsed(R"({"a":{"b":"c"},"null":null})");
  const Edit object(document);
  EXPECT_TRUE(object.has("a"));
  EXPECT_FALSE(object.has("null"));
  EXPECT_EQ(object["a"]["b"].text(), "c");
  object.existing("a").set("b", "d");
  EXPECT_EQ(object.view().at("a.b").text(), "d");
}

}  // namespace proa::api
