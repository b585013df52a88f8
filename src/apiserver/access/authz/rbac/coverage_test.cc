#include "apiserver/access/authz/rbac/coverage.h"

#include <gtest/gtest.h>

namespace proa::apiserver {
namespace {

using Rules = std::vector<PolicyRule>;

MissingRules missing_of(const Rules& held, const Rules& wanted) {
  std::vector<const PolicyRule*> pointers;
  for (const PolicyRule& rule : held) pointers.push_back(&rule);
  return missing_rules(pointers, wanted);
}

PolicyRule on(std::vector<std::string> verbs, std::vector<std::string> resources,
              std::vector<std::string> groups = {"v1"}, std::vector<std::string> names = {}) {
  return {.verbs = std::move(verbs),
          .groups = std::move(groups),
          .resources = std::move(resources),
          .names = std::move(names)};
}
PolicyRule at(std::vector<std::string> verbs, std::vector<std::string> paths) {
  return {.verbs = std::move(verbs), .paths = std::move(paths)};
}

struct Case {
  const char* name;
  Rules held;
  Rules wanted;
  std::string missing = "";
};

TEST(MissingRules, AreWhatNoSingleRuleCovers) {
  const PolicyRule mixed{
      .verbs = {"get"}, .groups = {"v1"}, .resources = {"builds"}, .paths = {"/apis"}};
  const Case cases[] = {
      {"the same", {on({"get"}, {"builds"})}, {on({"get"}, {"builds"})}},
      {"nothing is wanted", {}, {}},
      {"nothing is held",
       {},
       {on({"get"}, {"pods"})},
       R"({APIGroups:["v1"], Resources:["pods"], Verbs:["get"]})"},
      {"*/sub holds that of any resource",
       {on({"get"}, {"*/scale"})},
       {on({"get"}, {"foo/scale"})}},
      {"*/sub holds no other one",
       {on({"get"}, {"*/scale"})},
       {on({"get"}, {"foo/status", "foo"})},
       R"({APIGroups:["v1"], Resources:["foo"], Verbs:["get"]}
{APIGroups:["v1"], Resources:["foo/status"], Verbs:["get"]})"},
      {"foo/* is no pattern",
       {on({"get"}, {"foo/*"})},
       {on({"get"}, {"foo/scale"})},
       R"({APIGroups:["v1"], Resources:["foo/scale"], Verbs:["get"]})"},
      {"several rules together",
       {on({"delete"}, {"deployments"}, {"a"}), on({"delete"}, {"builds"}, {"a"}),
        on({"update"}, {"builds", "deployments"}, {"a", "b"}),
        on({"delete"}, {"builds", "deployments"}, {"b"})},
       {on({"delete", "update"}, {"builds", "deployments"}, {"a", "b"})}},
      {"all but one",
       {on({"delete", "update"}, {"builds", "deployments"}), on({"delete"}, {"pods"})},
       {on({"delete", "update"}, {"builds", "deployments", "pods"})},
       R"({APIGroups:["v1"], Resources:["pods"], Verbs:["update"]})"},
      {"verbs are told together",
       {on({"get"}, {"pods"})},
       {on({"list", "get", "watch"}, {"pods"})},
       R"({APIGroups:["v1"], Resources:["pods"], Verbs:["list" "watch"]})"},
      {"any group", {on({"get"}, {"roles"}, {"*"})}, {on({"get"}, {"roles"}, {"a", "b", "*"})}},
      {"groups are not any group",
       {on({"get"}, {"roles"}, {"a"})},
       {on({"get"}, {"roles"}, {"*"})},
       R"({APIGroups:["*"], Resources:["roles"], Verbs:["get"]})"},
      {"any verb", {on({"*"}, {"roles"})}, {on({"watch", "*"}, {"roles"})}},
      {"verbs are not any verb",
       {on({"get", "list"}, {"roles"})},
       {on({"*"}, {"roles"})},
       R"({APIGroups:["v1"], Resources:["roles"], Verbs:["*"]})"},
      {"any resource", {on({"get"}, {"*"})}, {on({"get"}, {"a", "a/b", "*/b", "*"})}},
      {"resources are not any resource",
       {on({"get"}, {"roles"})},
       {on({"get"}, {"*"})},
       R"({APIGroups:["v1"], Resources:["*"], Verbs:["get"]})"},
      {"any name", {on({"get"}, {"pods"})}, {on({"get"}, {"pods"}, {"v1"}, {"a", "b"})}},
      {"names are not any name",
       {on({"get"}, {"pods"}, {"v1"}, {"a"})},
       {on({"get"}, {"pods"})},
       R"({APIGroups:["v1"], Resources:["pods"], Verbs:["get"]})"},
      {"names one by one",
       {on({"get"}, {"pods"}, {"v1"}, {"a"}), on({"get"}, {"pods"}, {"v1"}, {"b"})},
       {on({"get"}, {"pods"}, {"v1"}, {"a", "b", "c"})},
       R"({APIGroups:["v1"], Resources:["pods"], ResourceNames:["c"], Verbs:["get"]})"},
      {"any path", {at({"*"}, {"*"})}, {at({"*"}, {"/apis", "/apis/v1", "/", ""})}},
      {"paths below, not the path itself",
       {at({"*"}, {"/apis/*"})},
       {at({"get"}, {"/apis", "/apis/v1"})},
       R"({NonResourceURLs:["/apis"], Verbs:["get"]})"},
      {"stars inside are no pattern",
       {at({"get"}, {"/*/v1/*"})},
       {at({"get"}, {"/api/v1/x"})},
       R"({NonResourceURLs:["/api/v1/x"], Verbs:["get"]})"},
      {"paths are listed by verb",
       {},
       {at({"get", "post"}, {"/a"})},
       R"({NonResourceURLs:["/a"], Verbs:["get"]}
{NonResourceURLs:["/a"], Verbs:["post"]})"},
      {"resources and paths in one rule", {mixed}, {mixed}},
      {"only the resources of a rule",
       {on({"get"}, {"builds"})},
       {mixed},
       R"({NonResourceURLs:["/apis"], Verbs:["get"]})"},
      {"a rule about names holds no paths",
       {{.verbs = {"get"}, .names = {"a"}, .paths = {"/apis"}}},
       {at({"get"}, {"/apis"})},
       R"({NonResourceURLs:["/apis"], Verbs:["get"]})"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const MissingRules missing = missing_of(c.held, c.wanted);
    EXPECT_EQ(describe(missing), c.missing);
    EXPECT_EQ(missing.none(), c.missing.empty());
    EXPECT_FALSE(missing.more);
  }
}

TEST(MissingRules, AreTakenApart) {
  const MissingRules missing = missing_of({}, {on({"get", "list"}, {"a", "b"})});
  EXPECT_EQ(missing.rules, (Rules{on({"get"}, {"a"}), on({"list"}, {"a"}), on({"get"}, {"b"}),
                                  on({"list"}, {"b"})}));
}

std::vector<std::string> many(std::string_view stem, int count) {
  std::vector<std::string> texts;
  for (int i = 0; i < count; ++i) texts.push_back(std::string(stem) + std::to_string(i));
  return texts;
}

// Rules of a megabyte, whose product is too large to enumerate.
TEST(MissingRules, OfHugeRulesEndAtALimit) {
  const PolicyRule huge =
      on(many("verb", 20000), many("resource", 20000), many("group", 20000), many("name", 20000));
  const MissingRules unheld = missing_of({}, {huge});
  EXPECT_TRUE(unheld.more);
  EXPECT_LT(describe(unheld).size(), 1024u * 1024u);
  EXPECT_TRUE(describe(unheld).ends_with("\n..."));

  // Covered, but only piece by piece: beyond the step limit.
  const PolicyRule some = on({"*"}, {"*"}, {"*"}, many("name", 10000));
  const PolicyRule others = on({"*"}, {"*"}, {"*"}, many("name", 20000));
  const MissingRules half = missing_of({some, others}, {huge});
  EXPECT_TRUE(half.more);
  EXPECT_FALSE(half.none());

  EXPECT_TRUE(missing_of({on({"*"}, {"*"}, {"*"})}, {huge}).none());
}

TEST(MissingRules, OfLongTextsEndAtALimit) {
  const PolicyRule wide = on({std::string(1'000'000, 'v')}, many("resource", 20000));
  const MissingRules missing = missing_of({}, {wide});
  EXPECT_TRUE(missing.more);
  EXPECT_EQ(missing.rules.size(), 1u);
}

}  // namespace
}  // namespace proa::apiserver
