#include "kinds/rbac/rule.h"

#include <gtest/gtest.h>

#include "json/parse.h"

namespace proa::kinds {
namespace {

TEST(PolicyRule, IsReadFromAnObject) {
  const auto document = json::parse(
      R"([{"verbs":["get"],"apiGroups":["","apps"],"resources":["pods"],"resourceNames":["a"]},)"
      R"({"verbs":["*"],"nonResourceURLs":["/x/*"]}])");
  const std::vector<PolicyRule> rules = read_rules(document->root());
  ASSERT_EQ(rules.size(), 2u);
  EXPECT_EQ(rules[0],
            (PolicyRule{
                .verbs = {"get"}, .groups = {"", "apps"}, .resources = {"pods"}, .names = {"a"}}));
  EXPECT_EQ(rules[1], (PolicyRule{.verbs = {"*"}, .paths = {"/x/*"}}));
}

TEST(PolicyRule, OfAnotherShapeAllowsNothing) {
  const auto document = json::parse(R"([null,7,"get",{"verbs":"get","resources":{"a":1}},[[]]])");
  for (const PolicyRule& rule : read_rules(document->root())) EXPECT_EQ(rule, PolicyRule{});
  EXPECT_TRUE(read_rules({}).empty());
}

TEST(PathCovers, AllBelowAStarAtTheEnd) {
  const struct {
    const char* said;
    const char* path;
    bool covers;
  } cases[] = {
      {"*", "", true},
      {"*", "/", true},
      {"*", "/api", true},
      {"**", "/api", true},
      {"/*", "", false},
      {"/*", "/", true},
      {"/*", "/foo", true},
      {"/api", "/api", true},
      {"/apis", "/api", false},
      {"/api", "/apis", false},
      {"/api/v1", "/api", false},
      {"/api/*", "/api/v1", true},
      {"/api/*", "/api", false},
      {"/api*", "/apis", true},
      {"/api/*/*", "/api/v1", false},
      {"/API", "/api", false},
      {"", "", true},
      {"", "/", false},
      {"/*/v1/*", "/api/v1/x", false},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(path_covers(c.said, c.path), c.covers) << c.said << " " << c.path;
  }
}

TEST(PolicyRule, IsDescribedAsUpstreamDoes) {
  EXPECT_EQ(describe({.verbs = {"get", "list"},
                      .groups = {"", "a\"b"},
                      .resources = {"pods"},
                      .names = {"web"}}),
            R"({APIGroups:["" "a\"b"], Resources:["pods"], ResourceNames:["web"], )"
            R"(Verbs:["get" "list"]})");
  EXPECT_EQ(describe({.verbs = {"get"}, .paths = {"/healthz"}}),
            R"({NonResourceURLs:["/healthz"], Verbs:["get"]})");
  EXPECT_EQ(describe({}), "{}");
  EXPECT_EQ(quoted_list({}), "[]");
}

}  // namespace
}  // namespace proa::kinds
