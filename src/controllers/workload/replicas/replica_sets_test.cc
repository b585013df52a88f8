#include "controllers/workload/replicas/replica_sets.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "api/object/view.h"
#include "controllers/framework/conditions.h"
#include "json/parse.h"
#include "testkit/controllers/test_world.h"

namespace proa::controllers {
namespace {

using std::chrono::seconds;

std::string template_json() {
  return R"({"metadata":{"labels":{"app":"web"}},)"
         R"("spec":{"containers":[{"name":"c","image":"nginx"}]}})";
}

std::string set_json(std::string_view name, int replicas, std::string_view more = "") {
  return fmt::format(R"({{"metadata":{{"name":"{}"}},"spec":{{"replicas":{},{}"selector":)"
                     R"({{"matchLabels":{{"app":"web"}}}},"template":{}}}}})",
                     name, replicas, more, template_json());
}

class ReplicaSetsTest : public testing::Test {
 protected:
  void create_set(int replicas, std::string_view more = "") {
    world_.create("apps", "replicasets", "default", set_json("web", replicas, more));
    world_.settle();
  }
  void scale(int replicas) {
    world_.patch("apps", "replicasets", "default", "web",
                 fmt::format(R"({{"spec":{{"replicas":{}}}}})", replicas));
    world_.settle();
  }
  json::Document set() {
    return world_.get("apps", "replicasets", "default", "web")->document().value();
  }
  // "replicas/fully labeled/ready/available/terminating @observedGeneration"
  std::string counts() {
    const json::Document document = set();
    const api::View status = api::View(document.root())["status"];
    return fmt::format("{}/{}/{}/{}/{} @{}", status["replicas"].integer(),
                       status["fullyLabeledReplicas"].integer(), status["readyReplicas"].integer(),
                       status["availableReplicas"].integer(),
                       status["terminatingReplicas"].integer(-1),
                       status["observedGeneration"].integer());
  }
  std::vector<api::ObjectPtr> pods() { return world_.list("", "pods", "default"); }
  std::string version() {
    return std::string(
        world_.get("apps", "replicasets", "default", "web")->metadata().resource_version);
  }
  // As a kubelet does.
  void make_ready(const api::Object& pod) {
    world_.patch("", "pods", "default", pod.metadata().name,
                 fmt::format(R"({{"status":{{"phase":"Running","conditions":[{{"type":"Ready",)"
                             R"("status":"True","lastTransitionTime":"{}"}}]}}}})",
                             format_time(world_.clock().now())),
                 "status");
  }
  void bind(const api::Object& pod, std::string_view node) {
    client::Place place = world_.place("", "pods", "default", pod.metadata().name);
    place.subresource = "binding";
    const auto bound = world_.client().create(
        place,
        json::parse_literal(
            fmt::format(R"({{"metadata":{{"name":"{}"}},"target":{{"kind":"Node","name":"{}"}}}})",
                        pod.metadata().name, node)),
        {}, {});
    ASSERT_TRUE(bound.ok()) << bound.status().message();
  }
  // While the clock stands still, there is one Event for each object.
  bool was_told(const std::string& beginning) {
    for (const api::ObjectPtr& event : world_.list("", "events", "default")) {
      const json::Document document = event->document().value();
      const api::View root = document.root();
      const std::string text = fmt::format("{} {} {}", root["source"]["component"].text(),
                                           root["reason"].text(), root["message"].text());
      if (text.starts_with(beginning)) return true;
    }
    return false;
  }

  testkit::TestWorld world_{std::vector<ControllerEntry>{
      {"replicaset", "replicaset-controller", make_replica_set_controller},
      {"replicationcontroller", "replication-controller", make_replication_controller}}};
};

TEST_F(ReplicaSetsTest, MakesPodsOfTheTemplate) {
  create_set(3);
  ASSERT_EQ(pods().size(), 3u);
  EXPECT_EQ(counts(), "3/3/0/0/0 @1");
  const json::Document document = pods().front()->document().value();
  const api::View pod = document.root();
  EXPECT_TRUE(pod["metadata"]["name"].text().starts_with("web-"));
  EXPECT_EQ(pod["metadata"]["labels"]["app"].text(), "web");
  EXPECT_EQ(pod["spec"]["containers"].item(0)["image"].text(), "nginx");
  const api::View owner = pod["metadata"]["ownerReferences"].item(0);
  EXPECT_EQ(owner["kind"].text(), "ReplicaSet");
  EXPECT_TRUE(owner["controller"].flag());
  EXPECT_TRUE(owner["blockOwnerDeletion"].flag());
  EXPECT_TRUE(was_told("replicaset-controller SuccessfulCreate Created pod: web-"));
}

TEST_F(ReplicaSetsTest, FollowsTheNumber) {
  create_set(2);
  scale(5);
  EXPECT_EQ(pods().size(), 5u);
  EXPECT_EQ(counts(), "5/5/0/0/0 @2");
  scale(1);
  EXPECT_EQ(pods().size(), 1u);
  EXPECT_EQ(counts(), "1/1/0/0/0 @3");
  scale(0);
  EXPECT_EQ(pods().size(), 0u);
  EXPECT_EQ(counts(), "0/0/0/0/0 @4");
}

TEST_F(ReplicaSetsTest, MakesMoreThanABurst) {
  create_set(1000);
  EXPECT_EQ(pods().size(), 1000u);
  EXPECT_EQ(counts(), "1000/1000/0/0/0 @1");
}

TEST_F(ReplicaSetsTest, ReplacesWhatIsGoneOrHasFailed) {
  create_set(3);
  const std::string name(pods().front()->metadata().name);
  world_.remove("", "pods", "default", name);
  world_.settle();
  EXPECT_EQ(pods().size(), 3u);
  EXPECT_EQ(world_.get("", "pods", "default", name), nullptr);
  world_.patch("", "pods", "default", pods().front()->metadata().name,
               R"({"status":{"phase":"Failed"}})", "status");
  world_.settle();
  EXPECT_EQ(pods().size(), 4u);
  EXPECT_EQ(counts(), "3/3/0/0/0 @1");
}

TEST_F(ReplicaSetsTest, CountsWhatIsOnItsWayOutAndDoesNotWaitForIt) {
  create_set(2);
  const api::ObjectPtr pod = pods().front();
  bind(*pod, "n1");
  world_.remove("", "pods", "default", pod->metadata().name);
  world_.settle();
  EXPECT_EQ(pods().size(), 3u);
  EXPECT_EQ(counts(), "2/2/0/0/1 @1");
  ASSERT_TRUE(world_.client()
                  .remove(world_.place("", "pods", "default", pod->metadata().name),
                          {.grace_seconds = 0}, {})
                  .ok());
  world_.settle();
  EXPECT_EQ(counts(), "2/2/0/0/0 @1");
}

TEST_F(ReplicaSetsTest, CountsReadyPodsAndWaitsUntilTheyAreAvailable) {
  create_set(2, R"("minReadySeconds":30,)");
  make_ready(*pods()[0]);
  world_.pass(seconds(10));
  make_ready(*pods()[1]);
  world_.settle();
  EXPECT_EQ(counts(), "2/2/2/0/0 @1");
  world_.pass(seconds(19));
  EXPECT_EQ(counts(), "2/2/2/0/0 @1");
  world_.pass(seconds(1));
  EXPECT_EQ(counts(), "2/2/2/1/0 @1");
  world_.restart();
  world_.pass(seconds(10));
  EXPECT_EQ(counts(), "2/2/2/2/0 @1");
}

TEST_F(ReplicaSetsTest, RemovesFirstWhatIsNotReady) {
  create_set(3);
  const std::string kept(pods()[1]->metadata().name);
  make_ready(*pods()[1]);
  world_.settle();
  world_.pass(seconds(1));
  scale(1);
  ASSERT_EQ(pods().size(), 1u);
  EXPECT_EQ(pods().front()->metadata().name, kept);
  EXPECT_TRUE(was_told("replicaset-controller SuccessfulDelete Deleted pod: web-"));
  EXPECT_EQ(counts(), "1/1/1/1/0 @2");
}

TEST_F(ReplicaSetsTest, RemovesFromTheNodeWhereItsDeploymentHasMost) {
  const std::string owner =
      R"("ownerReferences":[{"apiVersion":"apps/v1","kind":"Deployment","name":"d",)"
      R"("uid":"6a4d0ca6-1f0f-4c4f-a1a1-0123456789ab","controller":true}])";
  for (const char* name : {"one", "two"}) {
    world_.create(
        "apps", "replicasets", "default",
        fmt::format(R"({{"metadata":{{"name":"{0}",{1}}},"spec":{{"replicas":2,"selector":)"
                    R"({{"matchLabels":{{"set":"{0}"}}}},"template":{{"metadata":{{"labels":)"
                    R"({{"set":"{0}"}}}},"spec":{{"containers":[{{"name":"c","image":"i"}}]}}}})"
                    R"(}}}})",
                    name, owner));
  }
  world_.settle();
  ASSERT_EQ(pods().size(), 4u);  // by name: one-*, one-*, two-*, two-*
  const std::string kept(pods()[0]->metadata().name);
  const std::string crowded(pods()[1]->metadata().name);
  bind(*pods()[0], "quiet");
  for (size_t i = 1; i < 4; ++i) bind(*pods()[i], "full");
  for (const api::ObjectPtr& pod : pods()) make_ready(*pod);
  world_.settle();
  world_.patch("apps", "replicasets", "default", "one", R"({"spec":{"replicas":1}})");
  world_.settle();
  EXPECT_FALSE(world_.get("", "pods", "default", kept)->metadata().being_deleted);
  EXPECT_TRUE(world_.get("", "pods", "default", crowded)->metadata().being_deleted);
}

TEST_F(ReplicaSetsTest, AdoptsWhatItSelectsAndLetsGoWhatItDoesNot) {
  create_set(2);
  world_.create("", "pods", "default",
                R"({"metadata":{"name":"stray","labels":{"app":"web"}},)"
                R"("spec":{"containers":[{"name":"c","image":"nginx"}]}})");
  world_.settle();
  EXPECT_EQ(pods().size(), 2u);  // one too many: one went
  for (const api::ObjectPtr& pod : pods()) EXPECT_EQ(pod->metadata().owners.size(), 1u);
  const std::string name(pods().front()->metadata().name);
  world_.patch("", "pods", "default", name, R"({"metadata":{"labels":{"app":"debug"}}})");
  world_.settle();
  EXPECT_EQ(pods().size(), 3u);
  EXPECT_EQ(world_.get("", "pods", "default", name)->metadata().owners.size(), 0u);
  EXPECT_EQ(counts(), "2/2/0/0/0 @1");
  world_.patch("", "pods", "default", name, R"({"metadata":{"labels":{"app":"web"}}})");
  world_.settle();
  EXPECT_EQ(pods().size(), 2u);
}

TEST_F(ReplicaSetsTest, LeavesAloneWhatIsFinishedOrOnItsWayOut) {
  const auto owners = [this](std::string_view name) {
    return world_.get("", "pods", "default", name)->metadata().owners.size();
  };
  const char* unwanted = R"({"metadata":{"labels":{"app":"debug"}}})";
  world_.create("", "pods", "default",
                R"({"metadata":{"name":"done","labels":{"app":"web"}},)"
                R"("spec":{"containers":[{"name":"c","image":"nginx"}]}})");
  world_.patch("", "pods", "default", "done", R"({"status":{"phase":"Succeeded"}})", "status");
  create_set(2);
  EXPECT_EQ(owners("done"), 0u);
  EXPECT_EQ(counts(), "2/2/0/0/0 @1");

  const std::string failed(pods()[1]->metadata().name);
  world_.patch("", "pods", "default", failed, R"({"status":{"phase":"Failed"}})", "status");
  world_.patch("", "pods", "default", failed, unwanted);
  world_.settle();
  EXPECT_EQ(owners(failed), 1u);
  EXPECT_EQ(counts(), "2/2/0/0/0 @1");

  const std::string leaving(pods()[pods()[1]->metadata().name == failed ? 2 : 1]->metadata().name);
  bind(*world_.get("", "pods", "default", leaving), "n1");
  world_.remove("", "pods", "default", leaving);
  world_.settle();
  EXPECT_EQ(counts(), "2/2/0/0/1 @1");
  world_.patch("", "pods", "default", leaving, unwanted);
  world_.settle();
  EXPECT_EQ(owners(leaving), 1u);
  EXPECT_EQ(counts(), "2/2/0/0/0 @1");
}

TEST_F(ReplicaSetsTest, CountsPodsThatLackALabelOfTheTemplate) {
  world_.create("apps", "replicasets", "default",
                R"({"metadata":{"name":"web"},"spec":{"replicas":1,"selector":{"matchLabels":)"
                R"({"app":"web"}},"template":{"metadata":{"labels":{"app":"web","tier":"x"}},)"
                R"("spec":{"containers":[{"name":"c","image":"nginx"}]}}}})");
  world_.settle();
  world_.patch("", "pods", "default", pods().front()->metadata().name,
               R"({"metadata":{"labels":{"tier":null}}})");
  world_.settle();
  EXPECT_EQ(counts(), "1/0/0/0/0 @1");
}

TEST_F(ReplicaSetsTest, SaysWhyPodsAreMissing) {
  world_.create("", "resourcequotas", "default",
                R"({"metadata":{"name":"q"},"spec":{"hard":{"pods":"1"}}})");
  world_.patch("", "resourcequotas", "default", "q",
               R"({"status":{"hard":{"pods":"1"},"used":{"pods":"1"}}})", "status");
  create_set(2);
  json::Document document = set();
  const api::View condition =
      find_condition(api::View(document.root())["status"], "ReplicaFailure");
  EXPECT_EQ(condition["status"].text(), "True");
  EXPECT_EQ(condition["reason"].text(), "FailedCreate");
  EXPECT_NE(condition["message"].text().find("exceeded quota"), std::string_view::npos);
  EXPECT_EQ(counts(), "0/0/0/0/0 @1");
  EXPECT_TRUE(was_told("replicaset-controller FailedCreate Error creating: pods "));
  world_.remove("", "resourcequotas", "default", "q");
  world_.pass(seconds(60));
  EXPECT_EQ(pods().size(), 2u);
  document = set();
  EXPECT_FALSE(find_condition(api::View(document.root())["status"], "ReplicaFailure"));
}

TEST_F(ReplicaSetsTest, MakesNothingWhileItIsBeingDeleted) {
  create_set(2);
  world_.patch("apps", "replicasets", "default", "web",
               R"({"metadata":{"finalizers":["example.com/wait"]}})");
  world_.remove("apps", "replicasets", "default", "web");
  world_.settle();
  world_.remove("", "pods", "default", pods().front()->metadata().name);
  world_.settle();
  EXPECT_EQ(pods().size(), 1u);
  EXPECT_EQ(counts().substr(0, 4), "1/1/");
}

TEST_F(ReplicaSetsTest, WritesNothingInASteadyState) {
  create_set(3);
  make_ready(*pods().front());
  world_.settle();
  const std::string before = version();
  world_.restart();
  world_.settle();
  EXPECT_EQ(version(), before);
  EXPECT_EQ(pods().size(), 3u);
  // What no set looks at.
  world_.patch("", "pods", "default", pods().front()->metadata().name,
               R"({"metadata":{"annotations":{"a":"b"}}})");
  EXPECT_EQ(world_.settle(), 0u);
}

TEST_F(ReplicaSetsTest, GoesOnAfterARestart) {
  create_set(2);
  world_.restart();
  scale(4);
  world_.restart();
  world_.settle();
  EXPECT_EQ(pods().size(), 4u);
  scale(1);
  world_.restart();
  world_.settle();
  EXPECT_EQ(pods().size(), 1u);
  EXPECT_EQ(counts(), "1/1/0/0/0 @3");
}

TEST_F(ReplicaSetsTest, ReplicationControllersAreTheSameByAnotherName) {
  world_.create("", "replicationcontrollers", "default",
                R"({"metadata":{"name":"old"},"spec":{"replicas":2,"selector":{"app":"web"},)"
                R"("template":)" +
                    template_json() + "}}");
  world_.settle();
  ASSERT_EQ(pods().size(), 2u);
  EXPECT_EQ(pods().front()->metadata().owners.front().kind, "ReplicationController");
  make_ready(*pods().front());
  world_.settle();
  const json::Document document =
      world_.get("", "replicationcontrollers", "default", "old")->document().value();
  const api::View status = api::View(document.root())["status"];
  EXPECT_EQ(status["replicas"].integer(), 2);
  EXPECT_EQ(status["readyReplicas"].integer(), 1);
  EXPECT_EQ(status["observedGeneration"].integer(), 1);
  EXPECT_FALSE(status["terminatingReplicas"].exists());
  world_.patch("", "replicationcontrollers", "default", "old", R"({"spec":{"replicas":1}})");
  world_.settle();
  ASSERT_EQ(pods().size(), 1u);
  EXPECT_TRUE(was_told("replication-controller SuccessfulCreate Created pod: old-"));
}

}  // namespace
}  // namespace proa::controllers
