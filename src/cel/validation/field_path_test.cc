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

}  // namespace
}  // namespace proa::cel
