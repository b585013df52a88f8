#include "controllers/access/role_aggregation.h"

#include <gtest/gtest.h>

#include "testkit/controllers/test_world.h"

namespace proa::controllers {
namespace {

constexpr const char* kGroup = "rbac.authorization.k8s.io";

class RoleAggregationTest : public testing::Test {
 protected:
  bool allows(std::string_view role, std::string_view resource) {
    return this->role(role)->json().find('"' + std::string(resource) + '"') !=
           std::string_view::npos;
  }
  api::ObjectPtr role(std::string_view name) {
    return world_.get(kGroup, "clusterroles", "", name);
  }
  std::string version(std::string_view name) {
    return std::string(role(name)->metadata().resource_version);
  }
  // A role that is to be part of others.
  void create_part(const std::string& name, const std::string& labels,
                   const std::string& resource) {
    world_.create(kGroup, "clusterroles", "",
                  R"({"metadata":{"name":")" + name + R"(","labels":{)" + labels +
                      R"(}},"rules":[{"apiGroups":["example.com"],"resources":[")" + resource +
                      R"("],"verbs":["get"]}]})");
  }

  testkit::TestWorld world_{
      std::vector<ControllerEntry>{{"clusterrole-aggregation-controller",
                                    "clusterrole-aggregation-controller", make_role_aggregator}}};
};

constexpr const char* kToView = R"("rbac.authorization.k8s.io/aggregate-to-view":"true")";

TEST_F(RoleAggregationTest, DefaultRolesTakeInWhatIsLabelledForThem) {
  world_.settle();
  EXPECT_FALSE(allows("view", "widgets"));
  create_part("widgets-view", kToView, "widgets");
  world_.settle();
  EXPECT_TRUE(allows("view", "widgets"));
}

TEST_F(RoleAggregationTest, RulesPassOnFromRoleToRole) {
  // The default roles: admin takes in edit, which takes in view.
  create_part("widgets-view", kToView, "widgets");
  world_.settle();
  EXPECT_TRUE(allows("edit", "widgets"));
  EXPECT_TRUE(allows("admin", "widgets"));
}

TEST_F(RoleAggregationTest, FollowsChangesAndDeletions) {
  create_part("widgets-view", kToView, "widgets");
  world_.settle();
  world_.patch(kGroup, "clusterroles", "", "widgets-view",
               R"({"rules":[{"apiGroups":["example.com"],"resources":["gadgets"],)"
               R"("verbs":["get"]}]})");
  world_.settle();
  EXPECT_FALSE(allows("view", "widgets"));
  EXPECT_TRUE(allows("view", "gadgets"));
  world_.remove(kGroup, "clusterroles", "", "widgets-view");
  world_.settle();
  EXPECT_FALSE(allows("view", "gadgets"));
  EXPECT_TRUE(allows("view", "pods"));
}

TEST_F(RoleAggregationTest, FollowsLabels) {
  create_part("widgets-view", "", "widgets");
  world_.settle();
  EXPECT_FALSE(allows("view", "widgets"));
  world_.patch(kGroup, "clusterroles", "", "widgets-view",
               std::string(R"({"metadata":{"labels":{)") + kToView + "}}}");
  world_.settle();
  EXPECT_TRUE(allows("view", "widgets"));
}

TEST_F(RoleAggregationTest, WhatSomebodyWritesIntoTheRulesIsUndone) {
  world_.create(kGroup, "clusterroles", "",
                R"({"metadata":{"name":"all"},"aggregationRule":{"clusterRoleSelectors":[)"
                R"({"matchLabels":{"part":"yes"}}]}})");
  create_part("one", R"("part":"yes")", "ones");
  create_part("two", R"("part":"yes")", "twos");
  world_.settle();
  EXPECT_TRUE(allows("all", "ones"));
  EXPECT_TRUE(allows("all", "twos"));
  world_.patch(kGroup, "clusterroles", "", "all",
               R"({"rules":[{"apiGroups":[""],"resources":["mine"],"verbs":["get"]}]})");
  world_.settle();
  EXPECT_FALSE(allows("all", "mine"));
  EXPECT_TRUE(allows("all", "ones"));
}

TEST_F(RoleAggregationTest, ChangesWhileNobodyLookedAreMadeUpFor) {
  create_part("widgets-view", kToView, "widgets");
  world_.restart();
  world_.settle();
  EXPECT_TRUE(allows("view", "widgets"));
}

TEST_F(RoleAggregationTest, NothingIsWrittenWhenAllIsGathered) {
  create_part("widgets-view", kToView, "widgets");
  world_.settle();
  const std::string before = version("view");
  const std::string above = version("admin");
  const std::string untouched = version("cluster-admin");
  world_.restart();
  world_.settle();
  EXPECT_EQ(version("view"), before);
  EXPECT_EQ(version("admin"), above);
  EXPECT_EQ(version("cluster-admin"), untouched);
}

}  // namespace
}  // namespace proa::controllers
