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
  PathSteps steps;
  const auto cells = parsed.cells(
      columns.arena(), object->root(), [](Time) { return std::string("long ago"); }, steps);
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

// An object with a list of that many items, below a member "n".
std::string long_object(size_t items) {
  std::string text = R"({"n": 7, "text": ")" + std::string(800, 'x') + R"(", "list": [)";
  for (size_t i = 0; i < items; ++i) text += i == 0 ? R"({"a": "y"})" : R"(,{"a": "y"})";
  return text + "]}";
}

TEST(JsonPath, IsPaid) {
  const auto object = json::parse(long_object(1000));
  struct Case {
    const char* path;
    size_t least;
    size_t most;
  };
  const Case cases[] = {
      {".n", 0, 0},
      {".list.a.b", 0, 0},
      {".list[0].a", 1, 10},
      {".list[*].a", 2000, 10000},
      {".list[?(@.a=='z')]", 3000, 10000},
      {"..a", 2000, 10000},
      {".list[1,0]", 4, 30},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.path);
    const auto path = JsonPath::parse(c.path);
    ASSERT_TRUE(path.ok());
    PathSteps steps;
    EXPECT_TRUE(path->find(object->root(), steps).ok());
    EXPECT_GE(PathSteps::kUsual - steps.left, c.least);
    EXPECT_LE(PathSteps::kUsual - steps.left, c.most);
    PathSteps few{.left = c.least / 2};
    EXPECT_EQ(path->find(object->root(), few).ok(), c.least == 0);
  }
}

// However many columns there are, and however much their paths pass: a row has an end.
TEST(PrinterColumns, AreEmptyBeyondTheStepsOfTheirRow) {
  json::Document columns;
  columns.root() = json::Value::array();
  const auto add = [&](std::string_view type, std::string_view path) {
    json::Value column = json::Value::object();
    column.set(columns.arena(), "type", json::Value::string(columns.arena(), type));
    column.set(columns.arena(), "jsonPath", json::Value::string(columns.arena(), path));
    columns.root().push_back(columns.arena(), std::move(column));
  };
  add("string", ".text");
  for (int i = 0; i < 100; ++i) add("string", "..a");
  add("string", ".text");
  add("integer", ".n");
  const PrinterColumns parsed(&columns.root());
  const auto object = json::parse(long_object(3000));
  const auto age = [](Time) { return std::string("long ago"); };
  PathSteps steps{.left = 50'000};
  const auto cells = parsed.cells(columns.arena(), object->root(), age, steps);
  ASSERT_EQ(cells.size(), 103U);
  EXPECT_EQ(cells[0].as_string().size(), 800U);
  EXPECT_EQ(cells[1].as_string(), "y");
  EXPECT_TRUE(cells[100].is_null());
  EXPECT_TRUE(cells[101].is_null()) << "a text";
  EXPECT_EQ(cells[102].as_int(), 7) << "a plain path that is no text";
  EXPECT_EQ(steps.left, 0U);
}

TEST(PrinterColumns, PayForTexts) {
  const auto columns = json::parse(R"([{"type":"string","jsonPath":".text"}])");
  const PrinterColumns parsed(&columns->root());
  const auto object = json::parse(long_object(1));
  const auto age = [](Time) { return std::string("long ago"); };
  json::Arena arena;
  PathSteps steps{.left = 250};
  EXPECT_FALSE(parsed.cells(arena, object->root(), age, steps)[0].is_null());
  EXPECT_EQ(steps.left, 150U);
  EXPECT_FALSE(parsed.cells(arena, object->root(), age, steps)[0].is_null());
  EXPECT_TRUE(parsed.cells(arena, object->root(), age, steps)[0].is_null());
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
