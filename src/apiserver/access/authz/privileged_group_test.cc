#include "apiserver/access/authz/privileged_group.h"

#include <gtest/gtest.h>

namespace proa::apiserver {
namespace {

TEST(PrivilegedGroup, AllowsItsMembersEverything) {
  PrivilegedGroup masters;
  const User root{.name = "root", .uid = {}, .groups = {"a", "system:masters"}, .extra = {}};
  Attributes asked;
  asked.user = &root;
  asked.verb = "delete";
  asked.resource = "nodes";
  const Verdict verdict = masters.authorize(asked);
  EXPECT_EQ(verdict.decision, Decision::kAllow);
  EXPECT_EQ(verdict.reason, "");
  asked.is_resource = false;
  asked.path = "/metrics";
  EXPECT_TRUE(masters.authorize(asked).allowed());
}

TEST(PrivilegedGroup, HasNoOpinionOnOthers) {
  PrivilegedGroup masters;
  Attributes asked;
  asked.verb = "get";
  asked.resource = "pods";
  EXPECT_EQ(masters.authorize(asked).decision, Decision::kNoOpinion);
  for (const char* group : {"system:master", "System:masters", "system:masters2", ""}) {
    const User user{.name = "system:masters", .uid = {}, .groups = {group}, .extra = {}};
    asked.user = &user;
    EXPECT_EQ(masters.authorize(asked).decision, Decision::kNoOpinion) << group;
  }
  RuleList rules;
  masters.list_rules({.name = "x", .uid = {}, .groups = {"system:masters"}, .extra = {}}, "",
                     rules);
  EXPECT_TRUE(rules.resources.empty() && rules.paths.empty());
}

}  // namespace
}  // namespace proa::apiserver
