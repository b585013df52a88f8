#include "kinds/rbac/aggregation.h"

#include <gtest/gtest.h>

#include "json/parse.h"

namespace proa::kinds {
namespace {

constexpr const char* kPods =
    R"({"metadata":{"name":"a","labels":{"aggregate":"yes"}},)"
    R"("rules":[{"verbs":["get"],"apiGroups":[""],"resources":["pods"]}]})";
constexpr const char* kNodes =
    R"({"metadata":{"name":"b"},)"
    R"("rules":[{"verbs":["get"],"apiGroups":[""],"resources":["nodes"]}]})";

class AggregationTest : public testing::Test {
 protected:
  const json::Document pods_ = *json::parse(kPods);
  const json::Document nodes_ = *json::parse(kNodes);
  const std::vector<api::View> roles_{pods_.root(), nodes_.root()};
};

TEST_F(AggregationTest, RefusesASelectorThatIsNotValid) {
  auto role = json::parse(
      R"({"metadata":{"name":"c"},"aggregationRule":{"clusterRoleSelectors":[{},)"
      R"({"matchExpressions":[{"key":"a","operator":"Like","values":["b"]}]}]},"rules":null})");
  EXPECT_TRUE(aggregate_rules(api::Edit(*role), roles_).is(Reason::kBadRequest));
  EXPECT_FALSE(api::View(role->root())["rules"].exists());
}

TEST_F(AggregationTest, TakesSeveralSelectors) {
  auto role =
      json::parse(R"({"metadata":{"name":"c"},"aggregationRule":{"clusterRoleSelectors":[)"
                  R"({"matchExpressions":[{"key":"aggregate","operator":"DoesNotExist"}]},{}]}})");
  const Result<bool> changed = aggregate_rules(api::Edit(*role), roles_);
  EXPECT_TRUE(changed.ok() && *changed);
  const api::View rules = api::View(role->root())["rules"];
  ASSERT_EQ(rules.size(), 2u);
  EXPECT_EQ(rules.item(0)["resources"].item(0).text(), "nodes");
  EXPECT_EQ(rules.item(1)["resources"].item(0).text(), "pods");
}

TEST_F(AggregationTest, WhatIsAggregatedAlreadyIsNoChange) {
  auto role = json::parse(R"({"metadata":{"name":"c"},"aggregationRule":{"clusterRoleSelectors":[)"
                          R"({"matchLabels":{"aggregate":"yes"}}]}})");
  EXPECT_TRUE(*aggregate_rules(api::Edit(*role), roles_));
  EXPECT_FALSE(*aggregate_rules(api::Edit(*role), roles_));
}

}  // namespace
}  // namespace proa::kinds
