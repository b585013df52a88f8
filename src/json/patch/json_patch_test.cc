#include "json/patch/json_patch.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/strings.h"
#include "json/parse.h"
#include "json/print.h"
#include "testkit/golden.h"

namespace proa::json {
namespace json_patch_test {

std::string patched(std::string_view text, std::string_view patch_text,
                    const JsonPatchOptions& options = {}, Budget budget = Budget()) {
  auto document = parse(text);
  if (!document) return document.status().message();
  {
    const auto patch = parse(patch_text);
    if (!patch) return patch.status().message();
    const auto applied = apply_json_patch(*document, patch->root(), budget, options);
    if (!applied) {
      return std::string(reason_name(applied.status().reason())) + ": " +
             applied.status().message();
    }
  }
  // The patch is destroyed: nothing of it may be borrowed.
  return print(document->root());
}

// Each command is a document and, on the next line, a patch.
TEST(JsonPatch, DoesWhatTheScriptSays) {
  testkit::run_golden(std::filesystem::path(__FILE__).parent_path() / "testdata/json_patch.txt",
                      [](std::string_view command) {
                        const auto lines = split_once(command, '\n');
                        return lines ? patched(lines->before, lines->after)
                                     : std::string("no patch");
                      });
}

TEST(JsonPatch, LimitsTheNumberOfOperations) {
  std::string patch = "[";
  for (int i = 0; i < 10'000; ++i) patch += R"({"op":"test","path":"","value":1},)";
  EXPECT_EQ(patched("1", patch.substr(0, patch.size() - 1) + "]"), "1");
  EXPECT_EQ(
      patched("1", patch + R"({"op":"test","path":"","value":1}])"),
      "RequestEntityTooLarge: Request entity too large: The allowed maximum operations in a JSON "
      "patch is 10000, got 10001");
}

TEST(JsonPatch, LimitsWhatCopiesAdd) {
  // Each copy doubles the document.
  std::string patch = R"([{"op":"copy","from":"/b","path":"/b/a"})";
  for (int i = 0; i < 60; ++i) patch += R"(,{"op":"copy","from":"/b","path":"/b/a"})";
  const std::string answer =
      patched(R"({"b":{"c":"0123456789"}})", patch + "]", {.max_copied_bytes = 10'000});
  EXPECT_TRUE(answer.starts_with("RequestEntityTooLarge: operation ")) << answer;
}

TEST(JsonPatch, LimitsDepth) {
  std::string patch = R"([{"op":"copy","from":"/a","path":"/a/0"})";
  std::string path = "/a/0";
  for (int i = 0; i < 600; ++i) {
    path += "/0";
    patch += R"(,{"op":"add","path":")" + path + R"(","value":[]})";
  }
  const std::string answer = patched(R"({"a":[[]]})", patch + "]");
  EXPECT_TRUE(answer.ends_with("the document would be nested too deeply")) << answer;
}

// The operation, many times.
std::string repeated(std::string_view operation, size_t times) {
  std::string patch = "[";
  for (size_t i = 0; i < times; ++i) {
    if (i > 0) patch += ',';
    patch += operation;
  }
  return patch + "]";
}

// A list of that many zeros.
std::string zeros(size_t count) {
  std::string list = "[0";
  for (size_t i = 1; i < count; ++i) list += ",0";
  return list + "]";
}

constexpr std::string_view kTooManySteps =
    "RequestEntityTooLarge: Request entity too large: the request takes more than 500000 steps";

// Fewer than a request has.
Budget few_steps() { return Budget({.steps = 500'000}); }

TEST(JsonPatch, PaysForElementsThatMove) {
  const std::string insertions = repeated(R"({"op":"add","path":"/0","value":1})", 9'000);
  EXPECT_TRUE(patched(zeros(1'000), insertions).starts_with("[1,1,"));
  const std::string long_list = zeros(20'000);
  EXPECT_EQ(patched(long_list, insertions, {}, few_steps()), kTooManySteps);
  for (const std::string_view operation :
       {R"({"op":"remove","path":"/0"})", R"({"op":"move","from":"/0","path":"/19999"})"}) {
    EXPECT_EQ(patched(long_list, repeated(operation, 9'000), {}, few_steps()), kTooManySteps);
  }
  // At the end, nothing moves.
  const std::string appended = repeated(R"({"op":"add","path":"/-","value":1})", 9'000);
  EXPECT_TRUE(patched(long_list, appended, {}, few_steps()).ends_with(",1,1]"));
}

TEST(JsonPatch, PaysForMembersThatMove) {
  std::string object = "{\"k0\":0";
  std::string patch = R"([{"op":"remove","path":"/k0"})";
  for (int i = 1; i < 20'000; ++i) object += ",\"k" + std::to_string(i) + "\":0";
  for (int i = 1; i < 9'000; ++i)
    patch += R"(,{"op":"remove","path":"/k)" + std::to_string(i) + "\"}";
  EXPECT_EQ(patched(object + "}", patch + "]", {}, few_steps()), kTooManySteps);
}

TEST(JsonPatch, PaysForLargeValuesThatMove) {
  const std::string patch = repeated(
      R"({"op":"move","from":"/a","path":"/b"},{"op":"move","from":"/b","path":"/a"})", 100);
  EXPECT_EQ(patched("{\"a\":" + zeros(20'000) + "}", patch, {}, few_steps()), kTooManySteps);
}

TEST(JsonPatch, PaysForCopiesAndMemory) {
  const std::string text = "{\"a\":" + zeros(100) + ",\"b\":[]}";
  const std::string copy = R"([{"op":"copy","from":"/a","path":"/b/-"}])";
  EXPECT_TRUE(patched(text, copy, {}, Budget({.values = 101})).starts_with("{"));
  EXPECT_EQ(patched(text, copy, {}, Budget({.values = 100})),
            "RequestEntityTooLarge: Request entity too large: the body has more than 100 values");
  EXPECT_EQ(patched(text, copy, {}, Budget({.memory = 100})),
            "RequestEntityTooLarge: Request entity too large: the object takes more than 100 bytes "
            "of memory");
}

TEST(JsonPatch, LimitsTheStepsOfAPath) {
  std::string path;
  for (int i = 0; i < 1'000'000; ++i) path += "/a";
  EXPECT_EQ(patched("{}", R"([{"op":"remove","path":")" + path + "\"}]"),
            "Invalid: operation 0 of the JSON patch, at \"" + path.substr(0, 256) +
                "\": \"path\" has too many steps");
}

}  // namespace json_patch_test
}  // namespace proa::json
