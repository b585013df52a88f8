#include "api/patch/patch.h"

#include <gtest/gtest.h>

#include "api/schema/builtin.h"
#include "json/parse.h"
#include "json/print.h"

namespace proa::api {
namespace patch_test {

std::string patched(PatchType patch_type, std::string_view text, std::string_view body,
                    std::vector<std::string>* problems = nullptr) {
  auto document = json::parse(text);
  EXPECT_TRUE(document.ok()) << text;
  const Type& pod = *builtin_schema().find_kind("v1", "Pod");
  Budget budget;
  const auto applied = apply_patch(patch_type, *document, body, pod, budget, problems);
  if (applied.ok()) return json::print(document->root());
  std::string message = std::to_string(applied.status().code()) + " " + applied.status().message();
  for (const StatusCause& cause : applied.status().details().causes)
    message += " (" + cause.message + ")";
  return message;
}

}  // namespace patch_test
using namespace patch_test;

TEST(Patch, IsKnownByItsContentType) {
  const struct {
    std::string_view content_type;
    std::optional<PatchType> expected;
  } cases[] = {
      {"application/json-patch+json", PatchType::kJson},
      {"application/merge-patch+json", PatchType::kMerge},
      {"application/strategic-merge-patch+json; charset=utf-8", PatchType::kStrategic},
      {"application/apply-patch+yaml", PatchType::kApply},
      {"application/json", std::nullopt},
      {"application/merge-patch+yaml", std::nullopt},
      {"", std::nullopt},
  };
  for (const auto& c : cases) EXPECT_EQ(patch_type_from(c.content_type), c.expected);
}

TEST(Patch, IsApplied) {
  EXPECT_EQ(patched(PatchType::kJson, R"({"a":1})", R"([{"op":"replace","path":"/a","value":2}])"),
            R"({"a":2})");
  EXPECT_EQ(patched(PatchType::kMerge, R"({"a":1,"l":[1]})", R"({"a":null,"l":[2]})"),
            R"({"l":[2]})");
  EXPECT_EQ(patched(PatchType::kStrategic, R"({"spec":{"containers":[{"name":"a"}]}})",
                    R"({"spec":{"containers":[{"name":"a","image":"i"}]}})"),
            R"({"spec":{"containers":[{"name":"a","image":"i"}]}})");
  EXPECT_EQ(patched(PatchType::kStrategic, R"({"a":1})", "null"), R"({"a":1})");
  EXPECT_EQ(patched(PatchType::kJson, R"({"a":1})", "null"), R"({"a":1})");
  EXPECT_EQ(patched(PatchType::kStrategic, "{}", R"({"a":3.0,"b":[1e2,1.5]})"),
            R"({"a":3,"b":[100,1.5]})");
}

TEST(Patch, IsRefused) {
  const std::string rejected = "422 the server rejected our request due to an error in our request";
  const struct {
    PatchType type;
    std::string_view body;
    std::string expected;  // its start
  } cases[] = {
      {PatchType::kJson, "[", "400 error decoding patch: unexpected end of JSON input"},
      {PatchType::kJson, "- op: add",
       "400 error decoding patch: invalid character ' ' in numeric literal"},
      {PatchType::kJson, R"(["x"])",
       "400 error decoding patch: json: cannot unmarshal string into Go value of type "
       "handlers.jsonPatchOp"},
      {PatchType::kJson, R"([{"op":1,"path":"/a"}])",
       "400 error decoding patch: json: cannot unmarshal number into Go struct field "
       "jsonPatchOp.op of type string"},
      {PatchType::kJson, "{}",
       "400 error decoding patch: json: cannot unmarshal object into Go value of type "
       "[]handlers.jsonPatchOp"},
      {PatchType::kJson, R"([{"op":"test","path":"/a","value":2}])", rejected},
      {PatchType::kJson, R"([{"op":"remove","path":"/b"}])", rejected},
      {PatchType::kJson, R"([{"op":"what","path":"/b"}])", rejected},
      {PatchType::kJson, R"([{"path":"/b"}])", rejected},
      {PatchType::kJson, "[null]", rejected},
      {PatchType::kMerge, "a: 1",
       "400 error decoding patch: invalid character 'a' looking for beginning of value"},
      {PatchType::kMerge, "", "400 error decoding patch: unexpected end of JSON input"},
      {PatchType::kMerge, "null", "400 Invalid JSON Patch"},
      {PatchType::kMerge, "[]",
       "400 error decoding patch: json: cannot unmarshal array into Go value of type "
       "map[string]interface {}"},
      {PatchType::kStrategic, R"("x")",
       "400 json: cannot unmarshal string into Go value of type map[string]interface {}"},
      {PatchType::kStrategic, "{", "400 unexpected end of JSON input"},
      {PatchType::kStrategic, R"({"spec":{"$retainKeys":1}})",
       "400 invalid patch format of retainKeys"},
  };
  for (const auto& c : cases) {
    const std::string result = patched(c.type, R"({"a":1,"spec":{"hostNetwork":true}})", c.body);
    EXPECT_TRUE(result.starts_with(c.expected)) << c.body << " -> " << result;
  }
}

TEST(Patch, LimitsOperations) {
  std::string body = "[";
  for (int i = 0; i < 10'001; ++i)
    body += std::string(i == 0 ? "" : ",") + R"({"op":"test","path":"","value":1})";
  EXPECT_EQ(
      patched(PatchType::kJson, "{}", body + "]"),
      "413 Request entity too large: The allowed maximum operations in a JSON patch is 10000, "
      "got 10001");
}

TEST(Patch, ReportsWhatStrictDecodingWouldSay) {
  std::vector<std::string> problems;
  patched(PatchType::kMerge, "{}", R"({"a":{"b":1,"b":2}})", &problems);
  patched(PatchType::kJson, "{}", R"([{"op":"add","path":"/a","value":1,"value":2,"who":3}])",
          &problems);
  EXPECT_EQ(problems, (std::vector<std::string>{R"(duplicate field "a.b")",
                                                R"(json patch duplicate field "[0].value")",
                                                R"(json patch unknown field "[0].who")"}));
}

}  // namespace proa::api
