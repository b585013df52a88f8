#include "controllers/workload/disruption/budgets.h"
#include "json/parse.h"

#include <gtest/gtest.h>

#include "api/object/view.h"
#include "testkit/controllers/custom_kind.h"

namespace proa::controllers::disruption {
namespace {

using std::chrono::seconds;

constexpr const char* kTemplate =
    R"("selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":{"app":"web"}},)"
    R"("spec":{"containers":[{"name":"c","image":"nginx"}]}})";

class BudgetsTest : public testing::Test {
 protected:
  void add_budget(const std::string& amount,
                  const std::string& selector = R"({"matchLabels":{"app":"web"}})",
                  const std::string& name = "guard") {
    world_.create("policy", "poddisruptionbudgets", "default",
                  R"({"metadata":{"name":")" + name + R"("},"spec":{"selector":)" + selector + "," +
                      amount + "}}");
    world_.settle();
  }
  // What the reference of its pods says.
  std::string add_set(const std::string& name, int replicas, const std::string& owner = "") {
    const api::ObjectPtr set = world_.create(
        "apps", "replicasets", "default",
        R"({"metadata":{"name":")" + name + R"(","ownerReferences":[)" + owner +
            R"(]},"spec":{"replicas":)" + std::to_string(replicas) + "," + kTemplate + "}}");
    return reference("apps/v1", "ReplicaSet", *set);
  }
  static std::string reference(const std::string& api_version, const std::string& kind,
                               const api::Object& object) {
    return R"({"apiVersion":")" + api_version + R"(","kind":")" + kind + R"(","name":")" +
           std::string(object.metadata().name) + R"(","uid":")" +
           std::string(object.metadata().uid) + R"(","controller":true})";
  }
  void add_pod(const std::string& name, bool ready, const std::string& owner = "") {
    world_.create("", "pods", "default",
                  R"({"metadata":{"name":")" + name +
                      R"(","labels":{"app":"web"},"ownerReferences":[)" + owner +
                      R"(]},"spec":{"nodeName":"n","containers":[{"name":"c","image":"nginx"}]}})");
    if (ready) set_ready(name, "True");
  }
  void set_ready(const std::string& name, const std::string& ready) {
    world_.patch("", "pods", "default", name,
                 R"({"status":{"phase":"Running","conditions":[{"type":"Ready","status":")" +
                     ready + R"("}]}})",
                 "status");
  }
  void evict(const std::string& pod) {
    client::Place place = world_.place("", "pods", "default", pod);
    place.subresource = "eviction";
    ASSERT_TRUE(
        world_.client()
            .create(place,
                    json::parse_literal(
                        R"({"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":")" +
                        pod + "\"}}"),
                    {}, {})
            .ok());
  }
  api::ObjectPtr budget(const std::string& name = "guard") {
    return world_.get("policy", "poddisruptionbudgets", "default", name);
  }
  // "3/2 of 4, 1 allowed: True SufficientPods"
  std::string status(const std::string& name = "guard") {
    const json::Document document = budget(name)->document().value();
    const api::View status = api::View(document.root())["status"];
    std::string text = std::to_string(status["currentHealthy"].integer()) + "/" +
                       std::to_string(status["desiredHealthy"].integer()) + " of " +
                       std::to_string(status["expectedPods"].integer()) + ", " +
                       std::to_string(status["disruptionsAllowed"].integer()) + " allowed:";
    for (const api::View one : status["conditions"].items()) {
      text += " " + std::string(one["status"].text()) + " " + std::string(one["reason"].text());
      if (!one["message"].text().empty()) text += " (" + std::string(one["message"].text()) + ")";
    }
    for (const json::Member& one : status["disruptedPods"].members()) {
      text += " -" + std::string(one.key);
    }
    return text;
  }
  std::string events(std::string_view about) {
    std::string all;
    for (const api::ObjectPtr& event : world_.list("", "events", "default")) {
      const json::Document document = event->document().value();
      const api::View root = document.root();
      if (root["involvedObject"]["name"].text() != about) continue;
      all += std::string(root["type"].text()) + " " + std::string(root["reason"].text()) + ": " +
             std::string(root["message"].text()) + "\n";
    }
    return all;
  }

  testkit::TestWorld world_{std::vector<ControllerEntry>{
      {"disruption", "disruption-controller", make_disruption_controller}}};
};

TEST_F(BudgetsTest, KeepsAnAbsoluteNumberOfPods) {
  add_budget(R"("minAvailable":2)");
  EXPECT_EQ(status(), "0/2 of 0, 0 allowed: False InsufficientPods");
  EXPECT_EQ(events("guard"), "Normal NoPods: No matching pods found\n");
  for (const char* name : {"a", "b", "c"}) add_pod(name, true);
  add_pod("d", false);
  world_.settle();
  EXPECT_EQ(status(), "3/2 of 4, 1 allowed: True SufficientPods");
  set_ready("a", "False");
  world_.settle();
  EXPECT_EQ(status(), "2/2 of 4, 0 allowed: False InsufficientPods");
  world_.patch("policy", "poddisruptionbudgets", "default", "guard",
               R"({"spec":{"minAvailable":1}})");
  world_.settle();
  EXPECT_EQ(status(), "2/1 of 4, 1 allowed: True SufficientPods");
  EXPECT_NE(budget()->json().find(R"("observedGeneration":2)"), std::string_view::npos);
}

TEST_F(BudgetsTest, CountsOnlySelectedPods) {
  add_budget(R"("minAvailable":0)", R"({"matchLabels":{"app":"db"}})");
  add_pod("a", true);
  world_.settle();
  EXPECT_EQ(status(), "0/0 of 0, 0 allowed: False InsufficientPods");
  world_.patch("", "pods", "default", "a", R"({"metadata":{"labels":{"app":"db"}}})");
  world_.settle();
  EXPECT_EQ(status(), "1/0 of 1, 1 allowed: True SufficientPods");
  world_.patch("", "pods", "default", "a", R"({"metadata":{"labels":{"app":"web"}}})");
  world_.settle();
  EXPECT_EQ(status(), "0/0 of 0, 0 allowed: False InsufficientPods");
}

TEST_F(BudgetsTest, APercentageIsOfTheExpectedPods) {
  const std::string owner = add_set("web", 10);
  add_budget(R"("maxUnavailable":"20%")");
  add_pod("a", true, owner);
  world_.settle();
  EXPECT_EQ(status(), "1/8 of 10, 0 allowed: False InsufficientPods");
  world_.patch("apps", "replicasets", "default", "web", R"({"spec":{"replicas":1}})");
  world_.settle();
  EXPECT_EQ(status(), "1/0 of 1, 1 allowed: True SufficientPods") << "20% of 1 is rounded up";
}

TEST_F(BudgetsTest, CountsADeploymentOnceForItsSets) {
  const api::ObjectPtr deployment = world_.create(
      "apps", "deployments", "default",
      std::string(R"({"metadata":{"name":"web"},"spec":{"replicas":4,)") + kTemplate + "}}");
  const std::string above = reference("apps/v1", "Deployment", *deployment);
  const std::string before = add_set("web-1", 3, above);
  const std::string after = add_set("web-2", 2, above);
  add_pod("a", true, before);
  add_pod("b", true, after);
  add_budget(R"("minAvailable":"50%")");
  EXPECT_EQ(status(), "2/2 of 4, 0 allowed: False InsufficientPods");
}

TEST_F(BudgetsTest, CountsStatefulSetsAndReplicationControllers) {
  const api::ObjectPtr stateful = world_.create(
      "apps", "statefulsets", "default",
      std::string(R"({"metadata":{"name":"db"},"spec":{"serviceName":"db","replicas":3,)") +
          kTemplate + "}}");
  const api::ObjectPtr controller = world_.create(
      "", "replicationcontrollers", "default",
      R"({"metadata":{"name":"rc"},"spec":{"replicas":5,"selector":{"app":"web"},"template":)"
      R"({"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"c","image":"n"}]}}}})");
  add_pod("a", true, reference("apps/v1", "StatefulSet", *stateful));
  add_pod("b", true, reference("v1", "ReplicationController", *controller));
  add_budget(R"("maxUnavailable":7)");
  EXPECT_EQ(status(), "2/1 of 8, 1 allowed: True SufficientPods");
}

TEST_F(BudgetsTest, ReadsTheScaleOnACacheMiss) {
  // Its Deployment is nowhere to be found, so the set counts itself.
  const std::string owner = add_set(
      "web", 3,
      R"({"apiVersion":"apps/v1","kind":"Deployment","name":"gone","uid":"u","controller":true})");
  add_pod("a", true, owner);
  add_budget(R"("maxUnavailable":1)");
  EXPECT_EQ(status(), "1/2 of 3, 0 allowed: False InsufficientPods");
}

TEST_F(BudgetsTest, AllowsNoDisruptionWhenTheCountFails) {
  add_pod("a", true,
          R"({"apiVersion":"batch/v1","kind":"Job","name":"j","uid":"u","controller":true})");
  add_budget(R"("maxUnavailable":1)");
  EXPECT_EQ(status(),
            "0/0 of 0, 0 allowed: False SyncFailed (jobs.batch does not implement the scale "
            "subresource)");
  EXPECT_EQ(events("guard"),
            "Warning CalculateExpectedPodCountFailed: Failed to calculate the number of expected "
            "pods: jobs.batch does not implement the scale subresource\n");
  const std::string before(budget()->metadata().resource_version);
  world_.restart();
  world_.settle();
  EXPECT_EQ(budget()->metadata().resource_version, before);
}

TEST_F(BudgetsTest, ReportsADeletedOwner) {
  add_pod("a", true,
          R"({"apiVersion":"apps/v1","kind":"ReplicaSet","name":"x","uid":"u","controller":true})");
  add_pod("b", true,
          R"({"apiVersion":"example.com/v1","kind":"Foo","name":"x","uid":"v","controller":true})");
  add_budget(R"("maxUnavailable":1)");
  EXPECT_EQ(status(), "0/0 of 0, 0 allowed: False SyncFailed (found no controllers for pod \"a\")");
  world_.remove("", "pods", "default", "a");
  ASSERT_TRUE(world_.client()
                  .remove(world_.place("", "pods", "default", "a"), {.grace_seconds = 0}, {})
                  .ok());
  world_.settle();
  EXPECT_EQ(status(),
            "0/0 of 0, 0 allowed: False SyncFailed (no matches for kind \"Foo\" in version "
            "\"example.com/v1\")");
}

TEST_F(BudgetsTest, ReportsUnmanagedPods) {
  add_pod("a", true);
  add_budget(R"("maxUnavailable":1)");
  EXPECT_EQ(status(), "1/0 of 0, 0 allowed: False InsufficientPods");
  EXPECT_EQ(events("guard"),
            "Warning UnmanagedPods: Pods selected by this PodDisruptionBudget (selector: "
            "&LabelSelector{MatchLabels:map[string]string{app: web,},MatchExpressions:"
            "[]LabelSelectorRequirement{},}) were found to be unmanaged. As a result, the status "
            "of the PDB cannot be calculated correctly, which may result in undefined behavior. To "
            "account for these pods please set \".spec.minAvailable\" field of the PDB to an "
            "integer value.\n");
}

TEST_F(BudgetsTest, CountsEvictedPodsAsDisrupted) {
  add_budget(R"("minAvailable":1)");
  for (const char* name : {"a", "b", "c"}) add_pod(name, true);
  world_.settle();
  EXPECT_EQ(status(), "3/1 of 3, 2 allowed: True SufficientPods");
  evict("a");
  EXPECT_EQ(status(), "3/1 of 3, 1 allowed: True SufficientPods -a");
  world_.settle();
  EXPECT_EQ(status(), "2/1 of 3, 1 allowed: True SufficientPods") << "it is seen to be going";
}

TEST_F(BudgetsTest, ExpiresAnUnfinishedEviction) {
  add_budget(R"("minAvailable":1)");
  for (const char* name : {"a", "b"}) add_pod(name, true);
  world_.settle();
  // The server died between the two writes of an eviction.
  world_.patch("policy", "poddisruptionbudgets", "default", "guard",
               R"({"status":{"disruptionsAllowed":0,"disruptedPods":{"a":")" +
                   format_time(world_.clock().now()) + R"(","gone":"2026-01-02T15:04:05Z"}}})",
               "status");
  world_.settle();
  EXPECT_EQ(status(), "1/1 of 2, 0 allowed: False InsufficientPods -a");
  world_.restart();
  world_.pass(seconds(119));
  EXPECT_EQ(status(), "1/1 of 2, 0 allowed: False InsufficientPods -a");
  world_.pass(seconds(1));
  EXPECT_EQ(status(), "2/1 of 2, 1 allowed: True SufficientPods");
  EXPECT_EQ(events("a"),
            "Warning NotDeleted: Pod was expected by PDB default/default to be deleted but it "
            "wasn't\n");
}

TEST_F(BudgetsTest, WarnsOfTwoBudgetsForOnePod) {
  add_budget(R"("minAvailable":1)");
  add_budget(R"("minAvailable":0)", "{}", "all");
  add_pod("a", true);
  world_.settle();
  EXPECT_EQ(status("guard"), "1/1 of 1, 0 allowed: False InsufficientPods");
  EXPECT_EQ(status("all"), "1/0 of 1, 1 allowed: True SufficientPods");
  EXPECT_EQ(events("a"),
            "Warning MultiplePodDisruptionBudgets: Pod \"default\"/\"a\" matches multiple "
            "PodDisruptionBudgets.  Chose \"all\" arbitrarily.\n");
}

TEST_F(BudgetsTest, WritesNothingInASteadyState) {
  const std::string owner = add_set("web", 2);
  add_budget(R"("maxUnavailable":1)");
  add_pod("a", true, owner);
  world_.settle();
  const std::string before(budget()->metadata().resource_version);
  world_.patch("", "pods", "default", "a", R"({"metadata":{"annotations":{"x":"y"}}})");
  EXPECT_EQ(world_.settle(), 0U) << "and nobody wakes up for what does not count";
  world_.restart();
  world_.settle();
  EXPECT_EQ(budget()->metadata().resource_version, before);
}

TEST_F(BudgetsTest, CountsTheReplicasOfCustomObjects) {
  testkit::CustomKind ships(world_, "ships", "Ship",
                            R"(,"subresources":{"scale":{"specReplicasPath":".spec.replicas",)"
                            R"("statusReplicasPath":".status.replicas"}})");
  const api::ObjectPtr ship =
      ships.create("default", R"({"metadata":{"name":"a"},"spec":{"replicas":3}})");
  const std::string owner = reference("example.com/v1", "Ship", *ship);
  add_pod("p", true, owner);
  add_pod("q", true, owner);
  add_budget(R"("maxUnavailable":2)");
  EXPECT_EQ(status(), "2/1 of 3, 1 allowed: True SufficientPods");
}

}  // namespace
}  // namespace proa::controllers::disruption
