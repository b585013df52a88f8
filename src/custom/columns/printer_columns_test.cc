#include "custom/columns/printer_columns.h"

#include <gtest/gtest.h>

#include "custom/columns/scale.h"
#include "custom/decode/show.h"
#include "json/parse.h"

namespace proa::custom {
namespace {

constexpr std::string_view kObject = R"({"metadata": {"name": "x", "creationTimestamp":
  "2024-02-29T12:00:00Z"}, "spec": {"n": 3, "f": 2.5, "s": "text", "b": true, "list": [{"type": "A",
  "status": "True"}, {"type": "B", "status": "False"}], "x-y": null}})";

std::string cell(std::string_view type, std::string_view path) {
  json::Document columns;
  columns.root() = json::Value::array();
  json::Value column = json::Value::object();
  column.set(columns.arena(), "type", json::Value::string(columns.arena(), type));
  column.set(columns.arena(), "jsonPath", json::Value::string(columns.arena(), path));
  columns.root().push_back(columns.arena(), std::move(column));
  const PrinterColumns parsed(&columns.root());
  if (parsed.size() == 0) return "no path";
  const auto object = json::parse(kObject);
  const auto cells =
      parsed.cells(columns.arena(), object->root(), [](Time) { return std::string("long ago"); });
  return sorted_json(cells[0]);
}

TEST(PrinterColumns, HaveTypes) {
  EXPECT_EQ(cell("integer", ".spec.n"), "3");
  EXPECT_EQ(cell("integer", ".spec.f"), "2");
  EXPECT_EQ(cell("number", ".spec.f"), "2.5");
  EXPECT_EQ(cell("boolean", ".spec.b"), "true");
  EXPECT_EQ(cell("boolean", ".spec.n"), "null");
  EXPECT_EQ(cell("string", ".spec.n"), R"("3")");
  EXPECT_EQ(cell("string", ".spec.x-y"), R"("\u003cno value\u003e")");
  EXPECT_EQ(cell("string", ".spec.list[0]"), R"("{\"status\":\"True\",\"type\":\"A\"}")");
  EXPECT_EQ(cell("date", ".metadata.creationTimestamp"), R"("long ago")");
  EXPECT_EQ(cell("date", ".spec.s"), R"("\u003cinvalid\u003e")");
}

TEST(PrinterColumns, FollowPaths) {
  EXPECT_EQ(cell("string", R"(.spec.list[?(@.type=="B")].status)"), R"("False")");
  EXPECT_EQ(cell("string", ".spec.list[-1].type"), R"("B")");
  EXPECT_EQ(cell("string", ".spec.list[*].type"), R"("A")");
  EXPECT_EQ(cell("string", ".spec.list[1,0].type"), R"("B")");
  EXPECT_EQ(cell("string", ".spec['s']"), R"("text")");
  EXPECT_EQ(cell("string", "..type"), R"("A")");
  EXPECT_EQ(cell("string", ".spec.list[7].type"), "null");
  EXPECT_EQ(cell("string", ".spec.none"), "null");
  EXPECT_EQ(cell("string", ".spec.list["), "no path");
  EXPECT_EQ(cell("string", ".spec.list[?(@.type"), "no path");
}

// Upstream's columns are templates, and take a text apart into numbers.
TEST(PrinterColumns, AreTemplates) {
  EXPECT_EQ(cell("string", ".spec.s.*"), R"("116")");
  EXPECT_EQ(cell("integer", ".spec.s.*"), "null");
  EXPECT_EQ(cell("string", ".spec.list[?(@.type.*==66)].status"), R"("False")");
  EXPECT_EQ(cell("string", ".spec 5"), R"("5")");
  EXPECT_EQ(cell("integer", ".spec 5"), "null");
  EXPECT_EQ(cell("string", ".spec.s}-{.spec.n"), R"("text")");
  EXPECT_EQ(cell("string", ".spec.s}-{.spec.list[7]"), "null");
  EXPECT_EQ(cell("string", ".spec.s} and more"), R"("text")");
  EXPECT_EQ(cell("string", ".spec.s}{.spec.n["), "no path");
  EXPECT_EQ(cell("string", ".spec range .list[*]}{.type}{end"), R"("A")");
  EXPECT_EQ(cell("string", ".spec range .list[*]}-{.type}{end"), R"("-")");
  EXPECT_EQ(cell("string", ".spec.none range}{.type}{end}{.spec.s"), R"("text")");
  EXPECT_EQ(cell("string", ".spec.s}{end"), "null");
  EXPECT_EQ(cell("string", ".spec other"), "null");
}

TEST(JsonPath, IsBounded) {
  std::string text = "{}";
  for (int i = 0; i < 300; ++i) text = R"({"a": )" + text + "}";
  const auto deep = json::parse(text);
  const auto path = JsonPath::parse("..a..a..a..a..a");
  ASSERT_TRUE(path.ok());
  EXPECT_FALSE(path->find(deep->root()).ok());
  std::string ranges = ".";
  for (int i = 0; i < 1000; ++i) ranges += "}{range ..";
  EXPECT_FALSE(JsonPath::parse(ranges)->find(deep->root()).ok());
}

TEST(SelectableValue, IsText) {
  const auto object = json::parse(kObject);
  EXPECT_EQ(selectable_value(*JsonPath::parse(".spec.n"), object->root()), "3");
  EXPECT_EQ(selectable_value(*JsonPath::parse(".spec.b"), object->root()), "true");
  EXPECT_EQ(selectable_value(*JsonPath::parse(".spec.none"), object->root()), "");
}

TEST(Scale, ReadsAndWritesFields) {
  auto object = json::parse(kObject);
  EXPECT_EQ(integer_at(object->root(), ".spec.n")->value(), 3);
  EXPECT_FALSE(integer_at(object->root(), ".spec.none")->has_value());
  EXPECT_EQ(integer_at(object->root(), ".spec.s").status().message(),
            ".spec.s accessor error: text is of the type string, expected int64");
  EXPECT_TRUE(
      set_at(object->arena(), object->root(), ".status.deep.n", json::Value::integer(7)).ok());
  EXPECT_EQ(integer_at(object->root(), ".status.deep.n")->value(), 7);
  EXPECT_FALSE(set_at(object->arena(), object->root(), ".spec.s.n", json::Value::integer(7)).ok());
}

}  // namespace
}  // namespace proa::custom
