#include "controllers/workload/deployment/deployments.h"

#include <gtest/gtest.h>

#include "testkit/controllers/deployment_world.h"

namespace proa::controllers {
namespace {

TEST_F(DeploymentsTest, ReportsTheReplicaFailureOfItsSet) {
  world_.create("", "resourcequotas", "default",
                R"({"metadata":{"name":"q"},"spec":{"hard":{"pods":"1"}}})");
  world_.patch("", "resourcequotas", "default", "q",
               R"({"status":{"hard":{"pods":"1"},"used":{"pods":"1"}}})", "status");
  create(2);
  EXPECT_EQ(condition("ReplicaFailure").substr(0, 17), "True FailedCreate");
  world_.remove("", "resourcequotas", "default", "q");
  world_.pass(seconds(60));
  finish();
  EXPECT_EQ(condition("ReplicaFailure"), "");
  EXPECT_EQ(counts(), "2 2 2 2 0 0");
}

TEST_F(DeploymentsTest, AdoptsMatchingSetsAndReleasesOthers) {
  world_.create("apps", "replicasets", "default",
                R"({"metadata":{"name":"stray","labels":{"app":"web"}},"spec":{"replicas":1,)"
                R"("selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":)"
                R"({"app":"web"}},"spec":{"containers":[{"name":"c","image":"v1"}]}}}})");
  create(3);
  EXPECT_EQ(sets(), "v1=3(1) ");
  EXPECT_EQ(owned()[0].object->metadata().owners.size(), 1u);
  EXPECT_EQ(condition("Progressing").substr(0, 4), "True");
  world_.patch("apps", "replicasets", "default", "stray",
               R"({"metadata":{"labels":{"app":"other"}}})");
  world_.settle();
  EXPECT_EQ(owned().size(), 2u);
  EXPECT_EQ(world_.get("apps", "replicasets", "default", "stray")->metadata().owners.size(), 0u);
}

TEST_F(DeploymentsTest, FindsAnotherNameWhenASetOfAnotherHasIt) {
  create(1);
  const std::string name = owned()[0].facts.name;
  world_.remove("apps", "deployments", "default", "web");
  world_.remove("apps", "replicasets", "default", name);
  world_.settle();
  world_.create(
      "apps", "replicasets", "default",
      fmt::format(R"({{"metadata":{{"name":"{}"}},"spec":{{"replicas":0,"selector":)"
                  R"({{"matchLabels":{{"x":"y"}}}},"template":{{"metadata":{{"labels":)"
                  R"({{"x":"y"}}}},"spec":{{"containers":[{{"name":"c","image":"z"}}]}}}})"
                  R"(}}}})",
                  name));
  create(1);
  world_.pass(seconds(10));
  ASSERT_EQ(owned().size(), 2u);
  const json::Document document = deployment();
  EXPECT_EQ(api::View(document.root())["status"]["collisionCount"].integer(), 1);
  EXPECT_EQ(counts().substr(0, 3), "1 1");
}

TEST_F(DeploymentsTest, ReportsAFailedCreate) {
  world_.create("", "resourcequotas", "default",
                R"({"metadata":{"name":"q"},"spec":{"hard":{"count/replicasets.apps":"0"}}})");
  world_.patch("", "resourcequotas", "default", "q",
               R"({"status":{"hard":{"count/replicasets.apps":"0"},)"
               R"("used":{"count/replicasets.apps":"0"}}})",
               "status");
  create(1);
  EXPECT_TRUE(condition("Progressing")
                  .starts_with("False ReplicaSetCreateError Failed to create new replica set "
                               "\"web-"))
      << condition("Progressing");
  world_.remove("", "resourcequotas", "default", "q");
  world_.pass(seconds(60));
  EXPECT_EQ(sets(), "v1=1(1) ");
}

TEST_F(DeploymentsTest, RecreatesADeletedSet) {
  create(2);
  finish();
  world_.remove("apps", "replicasets", "default", owned()[0].facts.name);
  world_.settle();
  ASSERT_EQ(owned().size(), 1u);
  EXPECT_EQ(owned()[0].facts.replicas, 2);
}

TEST_F(DeploymentsTest, OnlyCountsWhileItIsBeingDeleted) {
  create(2);
  finish();
  world_.patch("apps", "deployments", "default", "web",
               R"({"metadata":{"finalizers":["example.com/wait"]}})");
  world_.remove("apps", "deployments", "default", "web");
  set_image("v2");
  EXPECT_EQ(sets(), "v1=2(1) ");
}

TEST_F(DeploymentsTest, WritesNothingInASteadyState) {
  create(3);
  finish();
  set_image("v2");
  finish();
  const std::string before = version();
  const std::string set(owned()[1].object->metadata().resource_version);
  world_.restart();
  world_.settle();
  EXPECT_EQ(version(), before);
  EXPECT_EQ(owned()[1].object->metadata().resource_version, set);
}

TEST_F(DeploymentsTest, ChangedAnnotationsGoToTheSetWithoutARollout) {
  create(1);
  finish();
  change(R"({"metadata":{"annotations":{"kubernetes.io/change-cause":"note"}}})");
  ASSERT_EQ(owned().size(), 1u);
  EXPECT_NE(owned()[0].object->json().find("\"kubernetes.io/change-cause\":\"note\""),
            std::string_view::npos);
  EXPECT_EQ(sets(), "v1=1(1) ");
}

}  // namespace
}  // namespace proa::controllers
