#include "json/value.h"

#include <gtest/gtest.h>

#include "json/parse.h"
#include "json/print.h"

namespace proa::json {
namespace value_test {

TEST(Value, KnowsItsKind) {
  Arena arena;
  EXPECT_TRUE(Value().is_null());
  EXPECT_EQ(Value::integer(INT64_MIN).as_int(), INT64_MIN);
  EXPECT_EQ(Value::number(0.5).as_double(), 0.5);
  EXPECT_EQ(Value::integer(3).as_double(), 3.0);
  EXPECT_EQ(Value::string(arena, "text").as_string(), "text");
  EXPECT_TRUE(Value::boolean(true).as_bool());
  EXPECT_EQ(Value::integer(1).size(), 0U);
  EXPECT_EQ(Value::borrowed("abc").size(), 0U);
  EXPECT_EQ(Value::array().find("x"), nullptr);
  EXPECT_TRUE(Value::object().items().empty());
}

TEST(ValueDeathTest, TheWrongKindIsABrokenInvariant) {
  EXPECT_DEATH((void)Value().as_int(), "broken invariant");
  EXPECT_DEATH((void)Value::number(1.0 / 0.0), "broken invariant");
}

TEST(Value, MovingLeavesNull) {
  Document document;
  Value array = Value::array();
  array.push_back(document.arena(), Value::integer(1));
  const Value moved = std::move(array);
  EXPECT_EQ(print(moved), "[1]");
  EXPECT_TRUE(array.is_null());  // NOLINT: moved from on purpose
}

TEST(Value, ArraysInsertAndErase) {
  Arena arena;
  Value array = Value::array();
  for (int i = 0; i < 10; ++i) array.push_back(arena, Value::integer(i));
  array.insert(arena, 0, Value::borrowed("first"));
  array.insert(arena, 5, Value());
  array.erase(1);
  array.erase(array.size() - 1);
  EXPECT_EQ(print(array), R"(["first",1,2,3,null,4,5,6,7,8])");
}

TEST(Value, ObjectsKeepTheOrderOfTheirKeys) {
  Arena arena;
  Value object = Value::object();
  object.set(arena, "z", Value::integer(1));
  object.set(arena, "a", Value::integer(2));
  object.set(arena, "m", Value::integer(3));
  object.set(arena, "z", Value::integer(4));
  EXPECT_EQ(print(object), R"({"z":4,"a":2,"m":3})");
  EXPECT_TRUE(object.remove("a"));
  EXPECT_FALSE(object.remove("a"));
  EXPECT_EQ(print(object), R"({"z":4,"m":3})");
}

TEST(Value, LargeObjectsStayRightThroughManyEdits) {
  Arena arena;
  Value object = Value::object();
  std::vector<std::pair<std::string, int64_t>> model;
  uint64_t state = 1;
  for (int64_t step = 0; step < 4000; ++step) {
    state = state * 6364136223846793005 + 1442695040888963407;
    const std::string key = "key-" + std::to_string((state >> 33) % 300);
    const auto known =
        std::find_if(model.begin(), model.end(), [&](auto& m) { return m.first == key; });
    if ((state >> 20) % 3 == 0) {
      EXPECT_EQ(object.remove(key), known != model.end());
      if (known != model.end()) model.erase(known);
    } else {
      object.set(arena, key, Value::integer(step));
      if (known != model.end()) {
        known->second = step;
      } else {
        model.emplace_back(key, step);
      }
    }
  }
  ASSERT_EQ(object.size(), model.size());
  for (size_t i = 0; i < model.size(); ++i) {
    EXPECT_EQ(object.members()[i].key, model[i].first);
    ASSERT_NE(object.find(model[i].first), nullptr);
    EXPECT_EQ(object.find(model[i].first)->as_int(), model[i].second);
  }
  EXPECT_EQ(object.find("key-none"), nullptr);
  const Document copy(Arena(), object.copy(arena));
  EXPECT_TRUE(copy.root() == object);
  EXPECT_EQ(print(copy.root()), print(object));
}

TEST(Value, EqualityIgnoresTheOrderOfKeys) {
  const auto equal = [](const char* a, const char* b) {
    return parse(a)->root() == parse(b)->root();
  };
  EXPECT_TRUE(equal(R"({"a":1,"b":[1,{"c":null}]})", R"({"b":[1,{"c":null}],"a":1})"));
  EXPECT_TRUE(equal("1", "1.0"));
  EXPECT_TRUE(equal("[]", "[]"));
  EXPECT_FALSE(equal("[1,2]", "[2,1]"));
  EXPECT_FALSE(equal(R"({"a":1})", R"({"b":1})"));
  EXPECT_FALSE(equal(R"({"a":1})", R"({"a":1,"b":1})"));
  EXPECT_FALSE(equal("9223372036854775807", "9223372036854775806"));
  EXPECT_FALSE(equal("null", "false"));
  EXPECT_FALSE(equal("\"1\"", "1"));
}

TEST(Document, CopiesShareNothing) {
  auto original = parse(R"({"a":{"b":["text",1]}})");
  Document copy = original->copy();
  copy.root().find("a")->set(copy.arena(), "b", Value());
  EXPECT_EQ(print(original->root()), R"({"a":{"b":["text",1]}})");
  *original = Document();
  EXPECT_EQ(print(copy.root()), R"({"a":{"b":null}})");
}

TEST(Value, DepthCountsLevels) {
  EXPECT_EQ(parse("1")->root().depth(), 0U);
  EXPECT_EQ(parse("[]")->root().depth(), 1U);
  EXPECT_EQ(parse(R"([1,{"a":[{}]}])")->root().depth(), 4U);
}

}  // namespace value_test
}  // namespace proa::json
