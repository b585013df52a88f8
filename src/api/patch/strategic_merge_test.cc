#include "api/patch/strategic_merge.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "api/schema/builtin.h"
#include "api/schema/parse.h"
#include "base/strings.h"
#include "json/parse.h"
#include "json/print.h"
#include "testkit/golden.h"

namespace proa::api {
namespace strategic_merge_test {

constexpr std::string_view kSchema =
    "# Boxes.\n\ngroup   example.com/v1\npackage com.example\nopenapi com.example.v1\n"
    "\nkind Box\n"
    "  1 name     string\n"
    "  2 value    string\n"
    "  3 other    string\n"
    "  4 map      map[string]string\n"
    "  5 words    []string\n"
    "  6 numbers  []int64  merge\n"
    "  7 plain    []Box\n"
    "  8 items    []Box  merge(name)\n"
    "  9 keyless  []Box  merge\n"
    "  10 box     *Box  retainKeys\n"
    "  11 whole   *Box  replace\n"
    "  12 inner   []Box\n"
    "  13 boxes   map[string]Box\n"
    "  - free     any\n";

const Type& box_type() {
  static const Result<Schema> schema = [] {
    const SchemaFile file{"boxes_v1", kSchema};
    return parse_schema({&file, 1});
  }();
  return *schema.value().find_kind("example.com/v1", "Box");
}

std::string outcome(const json::Document& document, const Result<void>& applied) {
  if (applied.ok()) return json::print(document.root());
  const Status& status = applied.status();
  std::string text = std::to_string(status.code()) + " " + status.message();
  for (const StatusCause& cause : status.details().causes)
    text += "\n" + cause.field + ": " + cause.message;
  return text;
}

std::string patched(std::string_view text, std::string_view patch_text, const Type& type,
                    Budget budget = Budget()) {
  auto document = json::parse(text);
  if (!document.ok()) return document.status().message();
  const auto applied = [&] {
    const auto patch = json::parse(patch_text);
    EXPECT_TRUE(patch.ok()) << patch_text;
    return apply_strategic_merge(*document, patch->root(), type, budget);
  }();
  // The patch is destroyed: nothing of it may be borrowed.
  return outcome(*document, applied);
}

}  // namespace strategic_merge_test
using namespace strategic_merge_test;

// Each command is a document and, on the next line, a patch.
TEST(StrategicMerge, DoesWhatTheScriptSays) {
  testkit::run_golden(
      std::filesystem::path(__FILE__).parent_path() / "testdata/strategic_merge.txt",
      [](std::string_view command) {
        const auto lines = split_once(command, '\n');
        return lines ? patched(lines->before, lines->after, box_type()) : std::string("no patch");
      });
}

TEST(StrategicMerge, KnowsTheKeysOfPods) {
  const Type* pod = builtin_schema().find_kind("v1", "Pod");
  ASSERT_NE(pod, nullptr);
  EXPECT_EQ(
      patched(
          R"({"spec":{"containers":[{"name":"a","ports":[{"containerPort":80}],)"
          R"("env":[{"name":"X","value":"1"}]},{"name":"b","image":"old"}],)"
          R"("tolerations":[{"key":"k"}]}})",
          R"({"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"b","image":"new"},)"
          R"({"name":"a","ports":[{"containerPort":81}],"env":[{"name":"X","value":null}]}],)"
          R"("tolerations":[{"key":"l"}]}})",
          *pod),
      R"({"spec":{"containers":[{"name":"b","image":"new"},{"name":"a",)"
      R"("ports":[{"containerPort":81},{"containerPort":80}],"env":[{"name":"X"}]}],)"
      R"("tolerations":[{"key":"l"}]},"metadata":{"labels":{"a":"b"}}})");
}

TEST(StrategicMerge, OfLongListsIsQuick) {
  constexpr int kMany = 10'000;
  std::string original = R"({"items":[)";
  std::string patch = R"({"items":[)";
  std::string order = R"("$setElementOrder/items":[)";
  for (int i = 0; i < kMany; ++i) {
    const std::string name = std::to_string(i);
    const std::string_view comma = i == 0 ? "" : ",";
    original.append(comma).append(R"({"name":"n)" + name + R"("})");
    patch.append(comma).append(R"({"name":"n)" + name + R"(","value":"v"})");
    order.append(comma).append(R"({"name":"n)" + name + R"("})");
  }
  const std::string result = patched(original + "]}", patch + "]," + order + "]}", box_type());
  EXPECT_TRUE(result.starts_with(R"({"items":[{"name":"n0","value":"v"},)"))
      << result.substr(0, 99);
  EXPECT_TRUE(result.ends_with(R"(,{"name":"n9999","value":"v"}]})"));
}

TEST(StrategicMerge, RemovesManyKeysQuickly) {
  std::string original = R"({"map":{"kept":"x")";
  std::string patch = R"({"map":{"none":null)";
  for (int i = 0; i < 20'000; ++i) {
    original += ",\"k" + std::to_string(i) + "\":\"\"";
    patch += ",\"k" + std::to_string(i) + "\":null";
  }
  EXPECT_EQ(patched(original + "}}", patch + "}}", box_type()), R"({"map":{"kept":"x"}})");
}

TEST(StrategicMerge, RefusesToLookAtALongListAgainAndAgain) {
  std::string numbers;
  std::string items;
  for (int i = 0; i < 2000; ++i) {
    numbers += (i == 0 ? "" : ",") + std::to_string(i);
    items += std::string(i == 0 ? "" : ",") + R"({"name":"a","numbers":[1]})";
  }
  const std::string result = patched(R"({"items":[{"name":"a","numbers":[)" + numbers + "]}]}",
                                     R"({"items":[)" + items + "]}", box_type());
  // Each merge leaves the old list behind.
  EXPECT_EQ(result,
            "413 Request entity too large: the object takes more than 33554432 bytes of memory");
}

TEST(StrategicMerge, RefusesToRemoveFromALongMapAgainAndAgain) {
  std::string map;
  std::string items;
  for (int i = 0; i < 5000; ++i) {
    const std::string key = "\"k" + std::to_string(i) + "\":";
    const std::string_view comma = i == 0 ? "" : ",";
    map.append(comma).append(key + "\"\"");
    items.append(comma).append(R"({"name":"a","map":{)" + key + "null}}");
  }
  const std::string result = patched(R"({"items":[{"name":"a","map":{)" + map + "}}]}",
                                     R"({"items":[)" + items + "]}", box_type());
  EXPECT_EQ(result, "413 Request entity too large: the request takes more than 20000000 steps");
}

TEST(StrategicMerge, PaysForMemory) {
  const std::string result =
      patched(R"({"numbers":[1,2,3]})", R"({"numbers":[4]})", box_type(), Budget({.memory = 100}));
  EXPECT_EQ(result, "413 Request entity too large: the object takes more than 100 bytes of memory");
}

TEST(StrategicMerge, SaysNoMoreThanIsReadable) {
  const std::string result =
      patched(R"({"items":[{"name":"a"}]})",
              R"({"items":[{"value":")" + std::string(100'000, 'x') + "\"}]}", box_type());
  EXPECT_TRUE(result.starts_with("400 map: map[value:xxx"));
  EXPECT_LT(result.size(), 3000U);
}

}  // namespace proa::api
