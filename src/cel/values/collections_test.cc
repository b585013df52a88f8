#include "cel/values/collections.h"

#include <gtest/gtest.h>

#include "cel/values/compare.h"
#include "cel/values/print.h"
#include "json/parse.h"

namespace proa::cel {
namespace {

TEST(Lists, AppendingLeavesTheShorterListAsItWas) {
  Arena arena;
  const Value one = Value::integer(1);
  const Value two = Value::integer(2);
  Value list = make_list(arena, {});
  list = concatenate(arena, list, make_list(arena, std::span(&one, 1)));
  list = concatenate(arena, list, make_list(arena, std::span(&two, 1)));
  const Value left = concatenate(arena, list, make_list(arena, std::span(&one, 1)));
  const Value right = concatenate(arena, list, make_list(arena, std::span(&two, 1)));
  EXPECT_EQ(print_value(list), "[1, 2]");
  EXPECT_EQ(print_value(left), "[1, 2, 1]");
  EXPECT_EQ(print_value(right), "[1, 2, 2]");
}

TEST(Maps, FindNumbersOfAnyType) {
  Arena arena;
  MapBuilder builder(arena, 0);
  for (int i = 0; i < 40; ++i) builder.set(Value::integer(i), Value::integer(i * i));
  const Value map = builder.build();
  EXPECT_EQ(map.size(), 40U);
  EXPECT_EQ(map_find(map, Value::unsigned_integer(39))->as_int(), 1521);
  EXPECT_EQ(map_find(map, Value::number(7))->as_int(), 49);
  EXPECT_FALSE(map_find(map, Value::number(7.5)));
  EXPECT_FALSE(map_find(map, Value::string("7")));
}

TEST(Maps, RemoveAndReplaceEntries) {
  Arena arena;
  MapBuilder builder(arena, 0);
  for (int i = 0; i < 20; ++i) builder.set(Value::integer(i), Value::integer(i));
  builder.remove(Value::integer(3));
  builder.set(Value::integer(4), Value::string("four"));
  EXPECT_FALSE(builder.insert(Value::integer(5), Value::null()));
  const Value map = builder.build();
  EXPECT_EQ(map.size(), 19U);
  EXPECT_FALSE(map_find(map, Value::integer(3)));
  EXPECT_EQ(map_find(map, Value::integer(4))->text(), "four");
}

TEST(Values, OfADocumentAreNotCopied) {
  const auto document = json::parse(R"({"a": [1, 2.5, "x", null], "b": {"c": true}})");
  const Value map = from_json(document->root());
  EXPECT_EQ(print_value(map), R"({"a": [1, double(2.5), "x", null], "b": {"c": true}})");
  const Value text = list_item(*map_find(map, Value::string("a")), 2);
  EXPECT_EQ(text.text().data(), document->root().find("a")->items()[2].as_string().data());
}

TEST(Values, AreEqualAcrossNumbersOnly) {
  EXPECT_TRUE(equal(Value::integer(1), Value::number(1)));
  EXPECT_TRUE(equal(Value::integer(1), Value::unsigned_integer(1)));
  EXPECT_FALSE(equal(Value::integer(-1), Value::unsigned_integer(UINT64_MAX)));
  EXPECT_FALSE(equal(Value::integer(1), Value::string("1")));
  EXPECT_FALSE(equal(Value::number(NAN), Value::number(NAN)));
  EXPECT_EQ(compare(Value::number(1e19), Value::integer(INT64_MAX)).as_int(), 1);
  EXPECT_TRUE(compare(Value::number(NAN), Value::integer(1)).is_error());
}

}  // namespace
}  // namespace proa::cel
