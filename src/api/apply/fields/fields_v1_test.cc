#include "api/apply/fields/fields_v1.h"

#include <gtest/gtest.h>

#include "json/parse.h"
#include "json/print.h"

namespace proa::api {
namespace {

std::string canonical(std::string_view text) {
  const Result<json::Document> parsed = json::parse(text);
  EXPECT_TRUE(parsed) << text;
  json::Arena arena;
  const Result<FieldSet> set = parse_fields_v1(parsed->root(), arena);
  if (!set) return set.status().message();
  const std::string printed = print_fields_v1(*set);
  EXPECT_EQ(json::print(to_fields_v1(*set, arena)), printed);
  return printed;
}

TEST(FieldsV1, IsPrintedAsParsed) {
  for (
      const std::string text :
      {"{}", R"({"f:spec":{"f:replicas":{}}})",
       R"({"f:metadata":{"f:labels":{".":{},"f:app":{}}}})",
       R"({"f:spec":{"f:ports":{".":{},"k:{\"port\":80,\"protocol\":\"TCP\"}":{".":{},"f:port":{}}}}})",
       R"({"f:finalizers":{"v:\"a\"":{}}})", R"({"f:list":{"i:1":{},"i:2":{}}})"}) {
    EXPECT_EQ(canonical(text), text);
  }
}

TEST(FieldsV1, BecomesCanonical) {
  struct Case {
    std::string_view name;
    std::string_view text;
    std::string_view expected;
  };
  for (const Case& c : {
           Case{"order", R"({"f:b":{},"f:a":{}})", R"({"f:a":{},"f:b":{}})"},
           Case{"a lone self", R"({"f:a":{".":{}}})", R"({"f:a":{}})"},
           Case{"self at the root", R"({".":{},"f:a":{}})", R"({"f:a":{}})"},
           Case{"null", R"({"f:a":null})", R"({"f:a":{}})"},
           Case{"unknown elements", R"({"x:1":{"f:b":{}},"f:a":{"y:":{}}})", R"({"f:a":{}})"},
           Case{"equal elements", R"({"v:1":{"f:a":{}},"v:1.0":{"f:b":{}}})",
                R"({"v:1":{"f:a":{},"f:b":{}}})"},
           Case{"escapes", "{\"k:{\\\"name\\\":\\\"<\\\"}\":{}}",
                R"({"k:{\"name\":\"\\u003c\"}":{}})"},
       }) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(canonical(c.text), c.expected);
  }
}

TEST(FieldsV1, RejectsWhatIsMalformed) {
  for (const std::string_view text :
       {"1", "[]", R"({"f:a":1})", R"({"a":{}})", R"({"k:x":{}})", R"({"f:a":{"f:b":[]}})"}) {
    const json::Document parsed = json::parse_literal(text);
    json::Arena arena;
    EXPECT_TRUE(parse_fields_v1(parsed.root(), arena).is(Reason::kBadRequest)) << text;
  }
}

TEST(FieldsV1, TakesDeepAndWideInput) {
  std::string deep = "{}";
  for (int i = 0; i < 500; ++i) deep = R"({"f:a":)" + deep + "}";
  EXPECT_EQ(canonical(deep), deep);
  std::string wide = "{";
  for (int i = 50'000; i > 0; --i) {
    wide += "\"v:" + std::to_string(i) + "\":{}";
    wide += i > 1 ? "," : "}";
  }
  EXPECT_TRUE(canonical(wide).starts_with(R"({"v:1":{},"v:2":{})"));
}

TEST(FieldsV1, AreSearchedWithoutBeingParsed) {
  const json::Document fields = json::parse_literal(
      R"({"f:a":{},"f:b":{".":{},"f:c":{}},"f:d":{"k:{\"n\":1}":{"f:e":{}},"v:\"x\"":{}}})");
  const struct {
    std::string_view set;
    bool any;
    bool all;
  } cases[] = {
      {R"({})", false, true},
      {R"({"f:a":{}})", true, true},
      {R"({"f:a":{"f:x":{}}})", false, false},
      {R"({"f:b":{}})", true, true},
      {R"({"f:b":{"f:c":{},"f:x":{}}})", true, false},
      {R"({"f:d":{}})", false, false},
      {R"({"f:d":{"k:{\"n\":1}":{}}})", false, false},
      {R"({"f:d":{"k:{\"n\":1}":{"f:e":{}},"v:\"x\"":{}}})", true, true},
      {R"({"f:d":{"k:{\"n\":2}":{"f:e":{}}},"f:a":{}})", true, false},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.set);
    json::Arena arena;
    const json::Document document = json::parse_literal(c.set);
    const Result<FieldSet> set = parse_fields_v1(document.root(), arena);
    ASSERT_TRUE(set);
    EXPECT_EQ(has_any(fields.root(), *set), c.any);
    EXPECT_EQ(has_all(fields.root(), *set), c.all);
    const Result<FieldSet> all = parse_fields_v1(fields.root(), arena);
    ASSERT_TRUE(all);
    json::Document left = fields.copy();
    remove_paths(left.root(), *set);
    EXPECT_EQ(json::print(left.root()), print_fields_v1(FieldSetMaker(arena).subtract(*all, *set)));
  }
}

}  // namespace
}  // namespace proa::api
