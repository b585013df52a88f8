#include "api/patch/strategic_errors.h"

#include <gtest/gtest.h>

#include "json/parse.h"

namespace proa::api {

TEST(GoValueText, PrintsAsFmtDoes) {
  const struct {
    std::string_view json, expected;
  } cases[] = {
      {"null", "<nil>"},
      {R"("a b")", "a b"},
      {"[1,true,2.5]", "[1 true 2.5]"},
      {"[]", "[]"},
      {"{}", "map[]"},
      {R"({"b":{"c":null},"a":["x","y"]})", "map[a:[x y] b:map[c:<nil>]]"},
      {R"([[],"["])", "[[] []"},
  };
  for (const auto& c : cases) EXPECT_EQ(go_value_text(json::parse(c.json)->root()), c.expected);
}

TEST(StrategicErrors, HaveUpstreamsCodes) {
  EXPECT_EQ(bad_patch("x").code(), 400);
  const Status rejected = rejected_patch();
  EXPECT_EQ(rejected.code(), 422);
  EXPECT_EQ(rejected.message(), "the server rejected our request due to an error in our request");
  EXPECT_TRUE(rejected.details().causes.empty());
  EXPECT_EQ(wrong_kind(json::Kind::kArray, json::Value()).message(),
            "expected a []interface {}, but received a %!s(<nil>)");
}

}  // namespace proa::api
