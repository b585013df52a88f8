#include "cel/values/typed.h"

#include <gtest/gtest.h>

#include "cel/values/collections.h"
#include "cel/values/compare.h"
#include "cel/values/print.h"
#include "json/parse.h"

namespace proa::cel {
namespace {

// Documents and shapes that values refer to.
class Typed : public ::testing::Test {
 protected:
  Value value(std::string_view schema, std::string_view json) {
    schemas_.push_back(std::make_unique<Shapes>(json::parse(schema)->root(), false));
    return value(schemas_.back()->root(), json);
  }
  Value value(const Shape& shape, std::string_view json) {
    documents_.push_back(std::make_unique<json::Document>(std::move(*json::parse(json))));
    return typed_value(arena_, documents_.back()->root(), shape);
  }
  const Shape& last() const { return schemas_.back()->root(); }

  Arena arena_;
  std::vector<std::unique_ptr<Shapes>> schemas_;
  std::vector<std::unique_ptr<json::Document>> documents_;
};

constexpr std::string_view kSet =
    R"({"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}})";
constexpr std::string_view kMapList = R"({"type": "array", "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": ["name"], "items": {"type": "object", "properties":
  {"name": {"type": "string"}, "v": {"type": "integer"}}}})";

TEST_F(Typed, ValuesHaveTheTypeOfTheirSchema) {
  EXPECT_EQ(print_value(value(R"({"type": "number"})", "1")), "double(1)");
  EXPECT_EQ(print_value(value(R"({"type": "integer"})", "1.5")),
            "error(invalid data, expected int, got float64)");
  EXPECT_EQ(print_value(value(R"({"type": "string", "format": "byte"})", "\"YQ==\"")), "bytes(61)");
  EXPECT_EQ(print_value(value(R"({"x-kubernetes-int-or-string": true})", "1")), "1");
  EXPECT_EQ(print_value(value(R"({"x-kubernetes-int-or-string": true})", "true")),
            "error(invalid data, expected XIntOrString value to be either a string or integer)");
  EXPECT_EQ(print_value(value(R"({"type": "string"})", "null")),
            "error(invalid data, got null for schema with nullable=false)");
  EXPECT_EQ(print_value(value(R"({"type": "string", "nullable": true})", "null")), "null");
}

TEST_F(Typed, ObjectsHaveEscapedNamesAndNoNulls) {
  const Value object = value(
      R"({"type": "object", "properties": {"a-b": {"type": "integer"}, "n": {"type": "string", "nullable": true}}})",
      R"({"a-b": 1, "n": null, "other": 2})");
  EXPECT_EQ(map_find(object, Value::string("a__dash__b"))->as_int(), 1);
  EXPECT_FALSE(map_find(object, Value::string("n")).has_value());
  EXPECT_FALSE(map_find(object, Value::string("other")).has_value());
  EXPECT_TRUE(map_find(object, Value::integer(1))->is_error());
  EXPECT_EQ(print_value(known_members(arena_, object)), R"({"a__dash__b": 1, "n": null})");
}

TEST_F(Typed, SetsHaveNoOrder) {
  const Value a = value(kSet, R"(["x", "y"])");
  const Value b = value(last(), R"(["y", "x"])");
  EXPECT_TRUE(equal(a, b));
  EXPECT_FALSE(equal(a, value(last(), R"(["y", "z"])")));
  const Value sum = concatenate(arena_, a, value(last(), R"(["z", "x"])"));
  EXPECT_EQ(print_value(sum), R"(["x", "y", "z"])");
  EXPECT_TRUE(equal(sum, value(last(), R"(["z", "y", "x"])")));
}

TEST_F(Typed, MapsOfListsAreMergedByTheirKeys) {
  const Value a = value(kMapList, R"([{"name": "a", "v": 1}, {"name": "b", "v": 2}])");
  EXPECT_TRUE(equal(a, value(last(), R"([{"name": "b", "v": 2}, {"name": "a", "v": 1}])")));
  EXPECT_FALSE(equal(a, value(last(), R"([{"name": "b", "v": 3}, {"name": "a", "v": 1}])")));
  const Value sum =
      concatenate(arena_, a, value(last(), R"([{"name": "c"}, {"name": "a", "v": 9}])"));
  EXPECT_EQ(print_value(sum), R"([{"name": "a", "v": 9}, {"name": "b", "v": 2}, {"name": "c"}])");
}

TEST_F(Typed, HaveNoEqualityWithOtherKinds) {
  EXPECT_TRUE(equality(value(kSet, "[]"), Value::integer(1)).is_error());
  EXPECT_TRUE(equality(Value::integer(1), value(kSet, "[]")).is_false());
}

TEST_F(Typed, ErrorsInAnObjectCountOnlyOnTheLeft) {
  const Value good =
      value(R"({"type": "object", "properties": {"t": {"type": "string", "format": "duration"}}})",
            R"({"t": "1s"})");
  const Value bad = value(last(), R"({"t": "soon"})");
  EXPECT_TRUE(equality(good, bad).is_false());
  EXPECT_TRUE(equality(bad, good).is_error());
}

TEST_F(Typed, UnknownFieldsAreComparedAsTheyAre) {
  const Value a =
      value(R"({"type": "object", "properties": {}, "x-kubernetes-preserve-unknown-fields": true})",
            R"({"u": [1]})");
  EXPECT_TRUE(equal(a, value(last(), R"({"u": [1]})")));
  EXPECT_FALSE(equal(a, value(last(), R"({"u": [2]})")));
}

TEST_F(Typed, SumsOfLongListsReadTheirItemsByTheSchemaOfTheLeftOne) {
  const Value times = value(R"({"type": "array", "items": {"type": "string",
      "format": "date-time"}})",
                            R"(["2020-01-01T00:00:00Z"])");
  std::vector<Value> texts(40, Value::string("2021-01-01T00:00:00Z"));
  const Value sum = concatenate(arena_, times, make_list(arena_, texts));
  EXPECT_EQ(list_shape(sum), list_shape(times));
  EXPECT_TRUE(list_item(sum, 0).is(ValueKind::kTimestamp));
  EXPECT_TRUE(list_item(sum, 40).is(ValueKind::kTimestamp));
  const Value twice = concatenate(arena_, sum, make_list(arena_, texts));
  EXPECT_TRUE(list_item(twice, 80).is(ValueKind::kTimestamp));
  // Upstream reads times as plain values, which are no texts any more.
  EXPECT_TRUE(list_item(concatenate(arena_, sum, sum), 41).is_error());
  EXPECT_EQ(list_shape(concatenate(arena_, make_list(arena_, texts), sum)), nullptr);
}

}  // namespace
}  // namespace proa::cel
