#include "cel/values/collections.h"

#include <gtest/gtest.h>

#include <vector>

#include "cel/values/compare.h"
#include "cel/values/list_sum.h"
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

Value numbers(Arena& arena, int64_t from, int64_t to) {
  std::vector<Value> items;
  for (int64_t i = from; i < to; ++i) items.push_back(Value::integer(i));
  return make_list(arena, items);
}

// The numbers from zero on.
void expect_ascending(const Value& list, uint32_t size) {
  ASSERT_EQ(list.size(), size);
  for (uint32_t i = 0; i < size; ++i) ASSERT_EQ(list_item(list, i).as_int(), i);
}

TEST(Lists, AreAddedWithoutCopies) {
  Arena arena;
  Value list = numbers(arena, 0, 100);
  const size_t before = arena.reserved();
  for (int i = 0; i < 16; ++i) list = concatenate(arena, list, list);
  EXPECT_EQ(list.size(), 6'553'600U);
  EXPECT_LT(arena.reserved() - before, 16'384U);
  EXPECT_EQ(list_item(list, 6'553'599).as_int(), 99);
  EXPECT_EQ(list_item(list, 4'000'042).as_int(), 42);
  EXPECT_TRUE(concatenate(arena, list, list).is_error());
}

TEST(Lists, StayBalancedHoweverTheyAreAdded) {
  Arena arena;
  Value right_heavy = numbers(arena, 199'980, 200'000);
  Value left_heavy = numbers(arena, 0, 20);
  for (int64_t i = 1; i < 10'000; ++i) {
    left_heavy = concatenate(arena, left_heavy, numbers(arena, i * 20, i * 20 + 20));
    const int64_t from = 199'980 - i * 20;
    right_heavy = concatenate(arena, numbers(arena, from, from + 20), right_heavy);
  }
  expect_ascending(left_heavy, 200'000);
  expect_ascending(right_heavy, 200'000);
  EXPECT_LE(left_heavy.as_sum()->height, 20U);
  EXPECT_LE(right_heavy.as_sum()->height, 20U);
  EXPECT_TRUE(equal(left_heavy, right_heavy));
  EXPECT_TRUE(equal(left_heavy, numbers(arena, 0, 200'000)));
}

TEST(Lists, GrowOneByOneInLinearMemory) {
  Arena arena;
  Value list = make_list(arena, {});
  for (int64_t i = 0; i < 100'000; ++i) list = concatenate(arena, list, numbers(arena, i, i + 1));
  expect_ascending(list, 100'000);
  EXPECT_LT(arena.reserved(), size_t{100'000} * 16 * 10);
}

TEST(Lists, AreNotCopiedByEachAdditionToTheSameOne) {
  Arena arena;
  const Value list = numbers(arena, 0, 100'000);
  const Value one = numbers(arena, 100'000, 100'001);
  concatenate(arena, list, one);
  const size_t before = arena.reserved();
  for (int i = 0; i < 1000; ++i) {
    const Value longer = concatenate(arena, list, one);
    EXPECT_EQ(longer.size(), 100'001U);
    EXPECT_EQ(list_item(longer, 100'000).as_int(), 100'000);
    EXPECT_EQ(list_item(longer, 99'999).as_int(), 99'999);
  }
  EXPECT_LT(arena.reserved() - before, size_t{1} << 20);
}

TEST(Lists, OfAnotherOwnerAreNotAddedTo) {
  Arena constants;
  const Value list = concatenate(constants, numbers(constants, 0, 2), numbers(constants, 2, 3));
  Arena arena;
  expect_ascending(concatenate(arena, list, numbers(arena, 3, 4)), 4);
  EXPECT_EQ(list.as_list()->used, 3U);
}

TEST(Maps, GrowInLinearMemory) {
  Arena arena;
  Value map = MapBuilder(arena, 0).build();
  std::vector<Value> steps;
  for (int64_t i = 0; i < 20'000; ++i) {
    MapBuilder builder(arena, map, 1);
    EXPECT_TRUE(builder.insert(Value::integer(i), Value::integer(-i)));
    map = builder.build();
    if (i < 100) steps.push_back(map);
  }
  EXPECT_LT(arena.reserved(), size_t{8} << 20);
  EXPECT_EQ(map_find(map, Value::integer(19'999))->as_int(), -19'999);
  // Earlier maps stay as they were.
  for (int64_t i = 0; i < 100; ++i) {
    const Value& step = steps[static_cast<size_t>(i)];
    EXPECT_EQ(step.size(), i + 1);
    EXPECT_TRUE(map_find(step, Value::integer(i)));
    EXPECT_FALSE(map_find(step, Value::integer(i + 1)));
  }
  MapBuilder other(arena, steps[0], 1);
  EXPECT_TRUE(other.insert(Value::integer(1), Value::string("other")));
  EXPECT_EQ(map_find(other.build(), Value::integer(1))->text(), "other");
  EXPECT_EQ(map_find(map, Value::integer(1))->as_int(), -1);
}

// What a client would send that knows a hash without a seed: many keys in one chain.
TEST(Maps, FindFractionsAndLargeNumbersFast) {
  Arena arena;
  MapBuilder builder(arena, 0);
  for (int i = 0; i < 50'000; ++i) {
    EXPECT_TRUE(builder.insert(Value::number(1.0 / (i + 2)), Value::integer(i)));
    EXPECT_TRUE(builder.insert(Value::number(1e19 * (i + 1)), Value::integer(i)));
  }
  const Value map = builder.build();
  EXPECT_EQ(map.size(), 100'000U);
  EXPECT_TRUE(map_find(map, Value::unsigned_integer(10'000'000'000'000'000'000ULL)));
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
