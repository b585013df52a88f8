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
                    const JsonPatchOptions& options = {}) {
  auto document = parse(text);
  if (!document) return document.status().message();
  {
    const auto patch = parse(patch_text);
    if (!patch) return patch.status().message();
    const auto applied = apply_json_patch(*document, patch->root(), options);
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
      "RequestEntityTooLarge: The allowed maximum operations in a JSON patch is 10000, got 10001");
}

TEST(JsonPatch, LimitsWhatCopiesAdd) {
  // Each copy doubles the document.
  std::string patch = R"([{"op":"copy","from":"","path":"/a"})";
  for (int i = 0; i < 60; ++i) patch += R"(,{"op":"copy","from":"","path":"/a"})";
  const std::string answer =
      patched(R"({"b":"0123456789"})", patch + "]", {.max_copied_bytes = 10'000});
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

}  // namespace json_patch_test
}  // namespace proa::json
