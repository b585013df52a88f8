#include "apiserver/authz/policy/aggregation.h"

#include <gtest/gtest.h>

#include "apiserver/authz/policy/policy_text.h"
#include "json/parse.h"

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

using Indices = std::vector<size_t>;

TEST(Aggregation, TakesEachRuleOnceInTheOrderOfNames) {
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

TEST(Aggregation, PassesOnFromRoleToRole) {
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

TEST(Aggregation, LeavesOutTheRoleItself) {
  Roles roles("clusterrole a  gathers x  joins x\n  get on pods\n");
  EXPECT_EQ(aggregate_all(roles.edits), Indices{0});
  EXPECT_EQ(roles.rules(0), "");
}

TEST(Aggregation, EndsInACircle) {
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

TEST(Aggregation, LeavesOthersAlone) {
  Roles roles("clusterrole a  joins x\n  get on pods\nclusterrole b  gathers z\n");
  EXPECT_EQ(aggregate_all(roles.edits), Indices{});
  EXPECT_EQ(roles.rules(0), "pods");
  EXPECT_FALSE(roles.edits[1]["rules"].exists());
}

TEST(Aggregation, RefusesASelectorThatIsNotValid) {
  Roles roles("clusterrole a  joins x\n  get on pods\n");
  auto role = json::parse(
      R"({"metadata":{"name":"b"},"aggregationRule":{"clusterRoleSelectors":[{},)"
      R"({"matchExpressions":[{"key":"a","operator":"Like","values":["b"]}]}]},"rules":null})");
  const std::vector<api::View> views{roles.edits[0].view()};
  EXPECT_TRUE(aggregate_rules(api::Edit(*role), views).is(Reason::kBadRequest));
  EXPECT_FALSE(api::View(role->root())["rules"].exists());
}

TEST(Aggregation, TakesSeveralSelectors) {
  Roles roles("clusterrole a  joins x\n  get on pods\nclusterrole b\n  get on nodes\n");
  auto role =
      json::parse(R"({"metadata":{"name":"c"},"aggregationRule":{"clusterRoleSelectors":[)"
                  R"({"matchExpressions":[{"key":"rbac.authorization.k8s.io/aggregate-to-x",)"
                  R"("operator":"DoesNotExist"}]},{}]}})");
  const std::vector<api::View> views{roles.edits[0].view(), roles.edits[1].view()};
  const Result<bool> changed = aggregate_rules(api::Edit(*role), views);
  EXPECT_TRUE(changed.ok() && *changed);
  const api::View rules = api::View(role->root())["rules"];
  ASSERT_EQ(rules.size(), 2u);
  EXPECT_EQ(rules.item(0)["resources"].item(0).text(), "nodes");
  EXPECT_EQ(rules.item(1)["resources"].item(0).text(), "pods");
}

}  // namespace
}  // namespace proa::apiserver
