#include "controllers/workload/deployment/deployments.h"
#include "json/parse.h"

#include <gtest/gtest.h>

#include "testkit/controllers/deployment_world.h"

namespace proa::controllers {
namespace {

TEST_F(DeploymentsTest, CreatesAReplicaSet) {
  create(3, R"("minReadySeconds":7,)");
  ASSERT_EQ(owned().size(), 1u);
  const json::Document document = owned()[0].object->document().value();
  const api::View set = document.root();
  const std::string_view hash = set["metadata"]["labels"]["pod-template-hash"].text();
  EXPECT_EQ(set["metadata"]["name"].text(), "web-" + std::string(hash));
  EXPECT_EQ(set["metadata"]["labels"]["app"].text(), "web");
  EXPECT_EQ(set["spec"]["selector"]["matchLabels"]["pod-template-hash"].text(), hash);
  EXPECT_EQ(set["spec"]["selector"]["matchLabels"]["app"].text(), "web");
  EXPECT_EQ(set["spec"]["template"]["metadata"]["labels"]["pod-template-hash"].text(), hash);
  EXPECT_EQ(set["spec"]["minReadySeconds"].integer(), 7);
  EXPECT_EQ(set["spec"]["replicas"].integer(), 3);
  const api::View annotations = set["metadata"]["annotations"];
  EXPECT_EQ(annotations["deployment.kubernetes.io/revision"].text(), "1");
  EXPECT_EQ(annotations["deployment.kubernetes.io/desired-replicas"].text(), "3");
  EXPECT_EQ(annotations["deployment.kubernetes.io/max-replicas"].text(), "4");
  EXPECT_EQ(annotations["kubernetes.io/change-cause"].text(), "first");
  const api::View owner = set["metadata"]["ownerReferences"].item(0);
  EXPECT_EQ(owner["kind"].text(), "Deployment");
  EXPECT_TRUE(owner["controller"].flag());
  EXPECT_EQ(annotation("deployment.kubernetes.io/revision"), "1");
  EXPECT_TRUE(
      was_told("ScalingReplicaSet", fmt::format("Scaled up replica set web-{} from 0 to 3", hash)));
}

TEST_F(DeploymentsTest, ReportsItsFirstRollout) {
  create(2);
  const std::string name = owned()[0].facts.name;
  EXPECT_EQ(counts(), "2 2 0 0 2 0");
  EXPECT_EQ(condition("Available"),
            "False MinimumReplicasUnavailable Deployment does not have minimum availability.");
  EXPECT_EQ(condition("Progressing"),
            "True ReplicaSetUpdated ReplicaSet \"" + name + "\" is progressing.");
  make_ready("", 1);
  EXPECT_EQ(counts(), "2 2 1 1 1 0");
  make_ready();
  EXPECT_EQ(counts(), "2 2 2 2 0 0");
  EXPECT_EQ(condition("Available"),
            "True MinimumReplicasAvailable Deployment has minimum availability.");
  EXPECT_EQ(condition("Progressing"),
            "True NewReplicaSetAvailable ReplicaSet \"" + name + "\" has successfully progressed.");
  const json::Document document = deployment();
  EXPECT_EQ(api::View(document.root())["status"]["observedGeneration"].integer(), 1);
}

TEST_F(DeploymentsTest, RollsWithinItsLimits) {
  create(10, R"("strategy":{"rollingUpdate":{"maxSurge":3,"maxUnavailable":2}},)");
  finish();
  set_image("v2");
  EXPECT_EQ(sets(), "v1=8(1) v2=5(2) ");  // 3 at once, then 2 in place of those that went
  EXPECT_EQ(counts(), "13 5 8 8 5 0");
  EXPECT_EQ(condition("Available").substr(0, 4), "True");
  make_ready("v2", 2);
  EXPECT_EQ(sets(), "v1=6(1) v2=7(2) ");
  world_.restart();
  make_ready("v2", 1);
  EXPECT_EQ(sets(), "v1=5(1) v2=8(2) ");
  finish();
  EXPECT_EQ(sets(), "v1=0(1) v2=10(2) ");
  EXPECT_EQ(counts(), "10 10 10 10 0 0");
  EXPECT_EQ(annotation("deployment.kubernetes.io/revision"), "2");
  EXPECT_EQ(condition("Progressing").substr(0, 27), "True NewReplicaSetAvailable");
}

TEST_F(DeploymentsTest, RecordsAnEventForEachStep) {
  create(4, R"("strategy":{"rollingUpdate":{"maxSurge":1,"maxUnavailable":0}},)");
  finish();
  const std::string first = owned()[0].facts.name;
  set_image("v2");
  const std::string second = owned()[1].facts.name;
  EXPECT_TRUE(was_told("ScalingReplicaSet", "Scaled up replica set " + second + " from 0 to 1"));
  world_.pass(seconds(1));
  make_ready("v2", 1);
  EXPECT_TRUE(was_told("ScalingReplicaSet", "Scaled down replica set " + first + " from 4 to 3"));
}

TEST_F(DeploymentsTest, ABadTemplateStopsTheRolloutUntilTheNextOne) {
  create(10, R"("strategy":{"rollingUpdate":{"maxSurge":3,"maxUnavailable":2}},)");
  finish();
  set_image("bad");
  EXPECT_EQ(sets(), "v1=8(1) bad=5(2) ");
  world_.pass(seconds(100));
  EXPECT_EQ(sets(), "v1=8(1) bad=5(2) ");
  set_image("v3");
  EXPECT_EQ(sets(), "v1=8(1) bad=0(2) v3=5(3) ");
  finish();
  EXPECT_EQ(sets(), "v1=0(1) bad=0(2) v3=10(3) ");
  EXPECT_EQ(pods(), 10u);
}

TEST_F(DeploymentsTest, RollsBackToAnOldSet) {
  create(2);
  finish();
  change(R"({"metadata":{"annotations":{"kubernetes.io/change-cause":"second"}}})");
  set_image("v2");
  finish();
  EXPECT_EQ(sets(), "v1=0(1) v2=2(2) ");
  // kubectl rollout undo: the old template again.
  set_image("v1");
  finish();
  EXPECT_EQ(sets(), "v1=2(3) v2=0(2) ");
  EXPECT_EQ(annotation("deployment.kubernetes.io/revision"), "3");
  const json::Document document = owned()[0].object->document().value();
  const api::View annotations = api::View(document.root())["metadata"]["annotations"];
  EXPECT_EQ(annotations["deployment.kubernetes.io/revision-history"].text(), "1");
}

TEST_F(DeploymentsTest, ObeysTheOldWayToGoBack) {
  create(2);
  finish();
  set_image("v2");
  change(R"({"metadata":{"annotations":{"kubernetes.io/change-cause":"second"}}})");
  finish();
  change(R"({"metadata":{"annotations":{"deprecated.deployment.rollback.to":"0"}}})");
  EXPECT_TRUE(was_told("DeploymentRollback", "Rolled back deployment \"web\" to revision 1"));
  finish();
  EXPECT_EQ(sets(), "v1=2(3) v2=0(2) ");
  EXPECT_EQ(annotation("deprecated.deployment.rollback.to"), "");
  EXPECT_EQ(annotation("kubernetes.io/change-cause"), "first");
  change(R"({"metadata":{"annotations":{"deprecated.deployment.rollback.to":"77"}}})");
  EXPECT_TRUE(was_told("DeploymentRollbackRevisionNotFound",
                       "Unable to find the revision to rollback to."));
  change(R"({"metadata":{"annotations":{"deprecated.deployment.rollback.to":"3"}}})");
  EXPECT_TRUE(was_told("DeploymentRollbackTemplateUnchanged",
                       "The rollback revision contains the same template as current deployment "
                       "\"web\""));
  EXPECT_EQ(sets(), "v1=2(3) v2=0(2) ");
}

TEST_F(DeploymentsTest, RecreateWaitsForTheDeletionOfOldPods) {
  create(2, R"("strategy":{"type":"Recreate"},)");
  finish();
  const api::ObjectPtr pod = world_.list("", "pods", "default").front();
  client::Place binding = world_.place("", "pods", "default", pod->metadata().name);
  binding.subresource = "binding";
  ASSERT_TRUE(world_.client()
                  .create(binding,
                          json::parse_literal(fmt::format(
                              R"({{"metadata":{{"name":"{}"}},"target":{{"name":"n"}}}})",
                              pod->metadata().name)),
                          {}, {})
                  .ok());
  set_image("v2");
  EXPECT_EQ(sets(), "v1=0(1) ");  // the bound one takes its time
  EXPECT_EQ(pods(), 1u);
  EXPECT_EQ(counts(), "0 0 0 0 0 1");
  world_.restart();
  world_.settle();
  EXPECT_EQ(sets(), "v1=0(1) ");
  ASSERT_TRUE(world_.client()
                  .remove(world_.place("", "pods", "default", pod->metadata().name),
                          {.grace_seconds = 0}, {})
                  .ok());
  world_.settle();
  EXPECT_EQ(sets(), "v1=0(1) v2=2(2) ");
  finish();
  EXPECT_EQ(counts(), "2 2 2 2 0 0");
  scale(3);
  EXPECT_EQ(sets(), "v1=0(1) v2=3(2) ");
}

TEST_F(DeploymentsTest, DoesNotRollOutWhilePaused) {
  create(2);
  finish();
  change(R"({"spec":{"paused":true}})");
  EXPECT_EQ(condition("Progressing"), "Unknown DeploymentPaused Deployment is paused");
  set_image("v2");
  EXPECT_EQ(sets(), "v1=2(1) ");
  scale(4);  // which it follows nevertheless
  EXPECT_EQ(sets(), "v1=4(1) ");
  world_.pass(seconds(5000));
  EXPECT_EQ(condition("Progressing"), "Unknown DeploymentPaused Deployment is paused");
  change(R"({"spec":{"paused":false}})");
  EXPECT_EQ(sets(), "v1=3(1) v2=2(2) ");
  finish();
  EXPECT_EQ(sets(), "v1=0(1) v2=4(2) ");
  EXPECT_EQ(condition("Progressing").substr(0, 27), "True NewReplicaSetAvailable");
}

TEST_F(DeploymentsTest, CreatesNothingIfPausedFromTheStart) {
  create(2, R"("paused":true,)");
  EXPECT_EQ(sets(), "");
  change(R"({"spec":{"paused":false}})");
  EXPECT_EQ(sets(), "v1=2(1) ");
}

TEST_F(DeploymentsTest, ScalesInProportionInTheMiddleOfARollout) {
  create(10, R"("strategy":{"rollingUpdate":{"maxSurge":3,"maxUnavailable":2}},)");
  finish();
  set_image("bad");
  ASSERT_EQ(sets(), "v1=8(1) bad=5(2) ");
  change(R"({"spec":{"replicas":15}})");
  // 18 pods instead of 13: 8 of 13 are 11, 5 of 13 are 7.
  EXPECT_EQ(sets(), "v1=11(1) bad=7(2) ");
  EXPECT_EQ(owned()[0].facts.desired_replicas, 15);
  EXPECT_EQ(owned()[1].facts.max_replicas, 18);
}

TEST_F(DeploymentsTest, ScalesUpDownAndToZero) {
  create(2);
  finish();
  scale(5);
  finish();
  EXPECT_EQ(sets(), "v1=5(1) ");
  EXPECT_EQ(counts(), "5 5 5 5 0 0");
  world_.pass(seconds(1));
  scale(1);
  EXPECT_EQ(counts(), "1 1 1 1 0 0");
  EXPECT_TRUE(was_told("ScalingReplicaSet",
                       "Scaled down replica set " + owned()[0].facts.name + " from 5 to 1"));
  scale(0);
  EXPECT_EQ(pods(), 0u);
  EXPECT_EQ(counts(), "0 0 0 0 0 0");
  EXPECT_EQ(condition("Available").substr(0, 4), "True");
  scale(2);
  finish();
  EXPECT_EQ(counts(), "2 2 2 2 0 0");
  EXPECT_EQ(annotation("deployment.kubernetes.io/revision"), "1");
}

TEST_F(DeploymentsTest, KeepsOnlySoManyOldSets) {
  create(1, R"("revisionHistoryLimit":2,)");
  finish();
  for (const char* image : {"v2", "v3", "v4", "v5"}) {
    set_image(image);
    finish();
  }
  EXPECT_EQ(sets(), "v3=0(3) v4=0(4) v5=1(5) ");
  change(R"({"spec":{"revisionHistoryLimit":0}})");
  EXPECT_EQ(sets(), "v5=1(5) ");
}

TEST_F(DeploymentsTest, ReportsAnExceededDeadline) {
  create(2, R"("progressDeadlineSeconds":60,)");
  const std::string name = owned()[0].facts.name;
  world_.pass(seconds(60));
  EXPECT_EQ(condition("Progressing").substr(0, 4), "True");
  world_.pass(seconds(2));
  EXPECT_EQ(condition("Progressing"), "False ProgressDeadlineExceeded ReplicaSet \"" + name +
                                          "\" has timed out progressing.");
  const std::string before = version();
  world_.pass(seconds(1000));
  EXPECT_EQ(version(), before);
  make_ready();
  EXPECT_EQ(condition("Progressing").substr(0, 27), "True NewReplicaSetAvailable");
}

TEST_F(DeploymentsTest, WaitsUntilNewPodsHaveBeenReadyForLongEnough) {
  create(2, R"("minReadySeconds":10,"strategy":{"rollingUpdate":)"
            R"({"maxSurge":1,"maxUnavailable":0}},)");
  make_ready();
  EXPECT_EQ(counts(), "2 2 2 0 2 0");
  world_.pass(seconds(10));
  EXPECT_EQ(counts(), "2 2 2 2 0 0");
  set_image("v2");
  make_ready();
  world_.pass(seconds(9));
  EXPECT_EQ(sets(), "v1=2(1) v2=1(2) ");
  world_.pass(seconds(1));
  EXPECT_EQ(sets(), "v1=1(1) v2=2(2) ");
  change(R"({"spec":{"minReadySeconds":0}})");
  EXPECT_EQ(owned()[1].facts.min_ready_seconds, 0);
}

}  // namespace
}  // namespace proa::controllers
