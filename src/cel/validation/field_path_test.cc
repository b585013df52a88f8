#include "cel/validation/field_path.h"

#include <gtest/gtest.h>

#include "json/parse.h"

namespace proa::cel {
namespace {

std::optional<std::string> normalized(std::string_view path) {
  const auto schema = json::parse(R"({"type": "object", "properties": {"a": {"type": "object",
    "properties": {"b.c": {"type": "string"}, "it's": {"type": "string"}}},
    "m": {"type": "object", "additionalProperties": {"type": "string"}}}})");
  const Shapes shapes(schema->root(), false);
  return normalized_field_path(path, shapes.root());
}

TEST(NormalizedFieldPath, FollowsTheSchema) {
  EXPECT_EQ(normalized(".a"), "a");
  EXPECT_EQ(normalized(".a['b.c']"), "a.b.c");
  EXPECT_EQ(normalized("['a']['it\\'s']"), "a.it's");
  EXPECT_EQ(normalized(".m.key"), "m[key]");
  EXPECT_EQ(normalized(""), "");
}

TEST(NormalizedFieldPath, RefusesWhatIsNotThere) {
  for (const std::string_view path :
       {"a", ".", ".x", ".a.b.c", "[a]", "['a'", "['a", "['\\q']", ".m.key.more", "]"}) {
    EXPECT_EQ(normalized(path), std::nullopt) << path;
  }
}

TEST(FieldPathSteps, SayWhatIsWrong) {
  const auto error_of = [](std::string_view path, bool brackets) {
    FieldPathSteps steps(path, brackets);
    while (steps.next()) continue;
    return steps.error();
  };
  EXPECT_EQ(error_of(".a.b", false), "");
  EXPECT_EQ(error_of(".a['b']", false), "array notation is not allowed");
  EXPECT_EQ(error_of(".a['b']", true), "");
  EXPECT_EQ(error_of(".a[b]", true), "expected single quoted string but got b");
  EXPECT_EQ(error_of(".a['b'.", true), "expected ] but got .");
  EXPECT_EQ(error_of(".a.", true), "unexpected end of JSON path");
  EXPECT_EQ(error_of("a", true), "expected [ or . but got: a");
}

}  // namespace
}  // namespace proa::cel
