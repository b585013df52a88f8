#include "api/patch/patched_text.h"

#include <gtest/gtest.h>

#include "api/schema/builtin.h"
#include "json/parse.h"

namespace proa::api {
namespace patched_text_test {

std::string text(PatchType type, std::string_view object, std::string_view patch) {
  const json::Document old = json::parse_literal(object);
  json::Document patched = old.copy();
  const Type& pod = *builtin_schema().find_kind("v1", "Pod");
  Budget budget;
  EXPECT_TRUE(apply_patch(type, patched, patch, pod, budget).ok());
  return patched_text(type, old.root(), patched.root(), patch);
}

}  // namespace patched_text_test
using namespace patched_text_test;

constexpr std::string_view kObject = R"({"kind":"X","apiVersion":"v1","spec":{"b":{"z":1,"y":2}}})";

TEST(PatchedText, SortsWhatAMergePatchEnters) {
  EXPECT_EQ(text(PatchType::kMerge, kObject, R"({"a":1})"),
            R"({"a":1,"apiVersion":"v1","kind":"X","spec":{"b":{"z":1,"y":2}}})");
  EXPECT_EQ(text(PatchType::kMerge, kObject, R"({"spec":{"b":{"y":null}},"kind":null})"),
            R"({"apiVersion":"v1","spec":{"b":{"z":1}}})");
}

TEST(PatchedText, WritesNewValuesAsTheMergePatchDoes) {
  EXPECT_EQ(text(PatchType::kMerge, "{}",
                 R"({ "n": 3.0, "o": {"z": null, "b": [ {"x":null} , 1e2 ], "a":"<"} })"),
            R"({"n":3.0,"o":{"a":"\u003c","b":[{},1e2]}})");
  // A list that takes the place of an object keeps its nulls.
  EXPECT_EQ(text(PatchType::kMerge, kObject, R"({"spec":[ {"b":null} ]})"),
            R"({"apiVersion":"v1","kind":"X","spec":[{"b":null}]})");
}

TEST(PatchedText, DoesNotReadALongPatchLevelByLevel) {
  std::string deep = "{\"a\":1,\"pad\":\"" + std::string(2'000'000, 'x') + "\"}";
  for (int i = 0; i < 400; ++i) deep = "{\"k\":" + deep + "}";
  const std::string merged = text(PatchType::kMerge, "{}", deep);
  EXPECT_EQ(merged, deep);
}

TEST(PatchedText, SortsWhatAJsonPatchEnters) {
  EXPECT_EQ(text(PatchType::kJson, kObject, R"([{"op":"add","path":"/a","value":{"d":1,"c":2}}])"),
            R"({"a":{"d":1,"c":2},"apiVersion":"v1","kind":"X","spec":{"b":{"z":1,"y":2}}})");
  EXPECT_EQ(text(PatchType::kJson, kObject, R"([{"op":"add","path":"/spec/b/a","value":1}])"),
            R"({"apiVersion":"v1","kind":"X","spec":{"b":{"a":1,"y":2,"z":1}}})");
  EXPECT_EQ(text(PatchType::kJson, kObject, R"([{"op":"replace","path":"","value":[1]}])"), "[1]");
}

}  // namespace proa::api
