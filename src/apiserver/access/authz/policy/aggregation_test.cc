#include "kinds/rbac/aggregation.h"

#include <gtest/gtest.h>

#include "apiserver/access/authz/policy/policy_text.h"

namespace proa::apiserver {
namespace {

// The roles of a policy, in the order of the text.
struct Roles {
  explicit Roles(std::string_view text) : objects(*parse_policy(text)) {
    for (PolicyObject& object : objects) edits.emplace_back(object.document);
  }
  // "pods nodes": the first resource of each rule.
  std::string rules(size_t index) const {
    std::string text;
    for (const api::View rule : edits[index]["rules"].items()) {
      if (!text.empty()) text += ' ';
      text += rule["resources"].item(0).text();
    }
    return text;
  }
  std::vector<PolicyObject> objects;
  std::vector<api::Edit> edits;
};

using kinds::aggregate_all;
using Indices = std::vector<size_t>;

TEST(AggregatedPolicy, TakesEachRuleOnceInTheOrderOfNames) {
  Roles roles(R"(
clusterrole a  joins x
  get on pods
  get on nodes
clusterrole b  joins x
  get on nodes
  get on secrets
clusterrole c  joins y
  get on other
clusterrole d  gathers x
  get on old
)");
  EXPECT_EQ(aggregate_all(roles.edits), Indices{3});
  EXPECT_EQ(roles.rules(3), "pods nodes secrets");
  EXPECT_EQ(aggregate_all(roles.edits), Indices{});
}

TEST(AggregatedPolicy, PassesOnFromRoleToRole) {
  Roles roles(R"(
clusterrole a  gathers x
clusterrole b  gathers y  joins x
clusterrole c  gathers z  joins y
clusterrole d  joins z
  get on pods
)");
  EXPECT_EQ(aggregate_all(roles.edits), (Indices{0, 1, 2}));
  for (const size_t index : {0, 1, 2}) EXPECT_EQ(roles.rules(index), "pods");
}

TEST(AggregatedPolicy, LeavesOutTheRoleItself) {
  Roles roles("clusterrole a  gathers x  joins x\n  get on pods\n");
  EXPECT_EQ(aggregate_all(roles.edits), Indices{0});
  EXPECT_EQ(roles.rules(0), "");
}

TEST(AggregatedPolicy, EndsInACircle) {
  Roles roles(R"(
clusterrole a  gathers x  joins y
clusterrole b  gathers y  joins x
clusterrole c  joins x
  get on pods
clusterrole d  joins y
  get on nodes
)");
  EXPECT_EQ(aggregate_all(roles.edits), (Indices{0, 1}));
  EXPECT_EQ(roles.rules(0).size(), std::string_view("pods nodes").size());
  EXPECT_EQ(roles.rules(1).size(), std::string_view("pods nodes").size());
}

TEST(AggregatedPolicy, LeavesOthersAlone) {
  Roles roles("clusterrole a  joins x\n  get on pods\nclusterrole b  gathers z\n");
  EXPECT_EQ(aggregate_all(roles.edits), Indices{});
  EXPECT_EQ(roles.rules(0), "pods");
  EXPECT_FALSE(roles.edits[1]["rules"].exists());
}

}  // namespace
}  // namespace proa::apiserver
