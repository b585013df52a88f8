#include "controllers/workload/autoscaler/autoscaler.h"

#include <gtest/gtest.h>

#include "api/schema/builtin.h"
#include "controllers/framework/conditions.h"
#include "controllers/workload/autoscaler/fake_metrics.h"
#include "json/parse.h"
#include "testkit/controllers/custom_kind.h"

namespace proa::controllers {
namespace {

FakeMeasurements measurements;  // reset by each test

std::unique_ptr<Controller> make_with_metrics(const ControllerContext& context) {
  return make_autoscaler(context, std::make_unique<FakeMetrics>(measurements));
}

class AutoscalerTest : public testing::Test {
 protected:
  using Make = std::unique_ptr<Controller> (*)(const ControllerContext&);

  explicit AutoscalerTest(Make make = make_with_metrics)
      : world_(std::vector<ControllerEntry>{
            {"horizontal-pod-autoscaler", "horizontal-pod-autoscaler", make}}) {
    measurements = {};
  }

  void create_deployment(int replicas, const std::string& name = "web") {
    world_.create("apps", "deployments", "default",
                  R"({"metadata":{"name":")" + name + R"("},"spec":{"replicas":)" +
                      std::to_string(replicas) +
                      R"(,"selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{)"
                      R"("labels":{"app":"web"}},"spec":{"containers":[{"name":"c",)"
                      R"("image":"i"}]}}}})");
  }
  // That many pods that have been ready for long.
  void create_pods(int count) {
    for (int i = 0; i < count; ++i) {
      const std::string name = "web-" + std::to_string(i);
      world_.create("", "pods", "default",
                    R"({"metadata":{"name":")" + name +
                        R"(","labels":{"app":"web"}},"spec":{"containers":[{"name":"c",)"
                        R"("image":"i","resources":{"requests":{"cpu":"1"}}}]}})");
      world_.patch("", "pods", "default", name,
                   R"({"status":{"phase":"Running","startTime":"2020-01-01T00:00:00Z",)"
                   R"("conditions":[{"type":"Ready","status":"True",)"
                   R"("lastTransitionTime":"2020-01-01T00:01:00Z"}]}})",
                   "status");
    }
  }
  void create_autoscaler(const std::string& more = "", const std::string& name = "web",
                         const std::string& target = R"("kind":"Deployment","name":"web",)"
                                                     R"("apiVersion":"apps/v1")") {
    ASSERT_TRUE(
        world_.client()
            .create(place(""),
                    json::parse_literal(R"({"metadata":{"name":")" + name +
                                        R"("},"spec":{"scaleTargetRef":{)" + target +
                                        R"(},"minReplicas":2,"maxReplicas":10,"metrics":[{"type":)"
                                        R"("Resource","resource":{"name":"cpu","target":{"type":)"
                                        R"("Utilization","averageUtilization":50}}}])" +
                                        more + "}}"),
                    {}, {})
            .ok());
  }
  client::Place place(const std::string& name) const {
    client::Place place = world_.place("autoscaling", "horizontalpodautoscalers", "default", name);
    place.resource =
        api::builtin_schema().find_resource("autoscaling", "v2", "horizontalpodautoscalers");
    return place;
  }

  // CPU usage of each pod, in thousandths.
  void measure(int pods, int64_t each) {
    measurements.pods.emplace();
    for (int i = 0; i < pods; ++i) {
      (*measurements.pods)["web-" + std::to_string(i)] = {world_.clock().now(),
                                                          std::chrono::minutes(1), each};
    }
  }
  int64_t replicas(const std::string& name = "web") {
    const json::Document document = *world_.get("apps", "deployments", "default", name)->document();
    return api::View(document.root())["spec"]["replicas"].integer();
  }
  json::Document autoscaler(const std::string& name = "web") {
    return *(*world_.client().get(place(name), {}))->document();
  }
  // "True SucceededRescale: the HPA controller was ..."
  std::string condition(const char* type, const std::string& name = "web") {
    const json::Document document = autoscaler(name);
    const api::View found = find_condition(api::View(document.root())["status"], type);
    return std::string(found["status"].text()) + " " + std::string(found["reason"].text()) + ": " +
           std::string(found["message"].text());
  }
  // Of the first event with that reason.
  std::string event(std::string_view reason) {
    for (const api::ObjectPtr& object : world_.list("", "events", "default")) {
      const json::Document document = *object->document();
      const api::View root = document.root();
      if (root["reason"].text() == reason) return std::string(root["message"].text());
    }
    return "";
  }

  testkit::TestWorld world_;
};

TEST_F(AutoscalerTest, ScalesUpWhenMoreIsUsed) {
  create_deployment(3);
  create_pods(3);
  measure(3, 900);
  create_autoscaler();
  world_.settle();
  EXPECT_EQ(replicas(), 6);
  EXPECT_EQ(condition("AbleToScale"),
            "True SucceededRescale: the HPA controller was able to update the target scale to 6");
  EXPECT_EQ(condition("ScalingActive"),
            "True ValidMetricFound: the HPA was able to successfully calculate a replica count "
            "from cpu resource utilization (percentage of request)");
  EXPECT_EQ(condition("ScalingLimited"),
            "False DesiredWithinRange: the desired count is within the acceptable range");
  EXPECT_EQ(event("SuccessfulRescale"),
            "New size: 6; reason: cpu resource utilization (percentage of request) above target");
  const json::Document document = autoscaler();
  const api::View status = api::View(document.root())["status"];
  EXPECT_EQ(status["currentReplicas"].integer(), 3);
  EXPECT_EQ(status["desiredReplicas"].integer(), 6);
  EXPECT_EQ(status["lastScaleTime"].text(), format_time(world_.clock().now()));
  EXPECT_EQ(status["currentMetrics"].item(0)["resource"]["current"]["averageUtilization"].integer(),
            90);
}

TEST_F(AutoscalerTest, ScalesCustomObjects) {
  testkit::CustomKind ships(world_, "ships", "Ship",
                            R"(,"subresources":{"scale":{"specReplicasPath":".spec.replicas",)"
                            R"("statusReplicasPath":".status.replicas","labelSelectorPath":)"
                            R"(".status.selector"}})");
  ships.create("default", R"({"metadata":{"name":"web"},"spec":{"replicas":2},)"
                          R"("status":{"replicas":2,"selector":"app=web"}})");
  create_pods(2);
  measure(2, 900);
  create_autoscaler("", "web", R"("kind":"Ship","name":"web","apiVersion":"example.com/v1")");
  world_.settle();
  const json::Document document =
      *world_.client().get(ships.place("default", "web"), {}).value()->document();
  EXPECT_EQ(api::View(document.root())["spec"]["replicas"].integer(), 4);
}

TEST_F(AutoscalerTest, ScalesDownAfterTheStabilizationWindow) {
  create_deployment(4);
  create_pods(4);
  measure(4, 500);
  create_autoscaler();
  world_.settle();
  EXPECT_EQ(replicas(), 4);
  measure(4, 200);
  world_.pass(std::chrono::minutes(4));
  EXPECT_EQ(replicas(), 4);
  EXPECT_EQ(condition("AbleToScale"),
            "True ScaleDownStabilized: recent recommendations were higher than current one, "
            "applying the highest recent recommendation");
  world_.pass(std::chrono::minutes(2));
  EXPECT_EQ(replicas(), 2);
  EXPECT_EQ(event("SuccessfulRescale"), "New size: 2; reason: All metrics below target");
}

TEST_F(AutoscalerTest, ReconcilesEveryFifteenSeconds) {
  create_deployment(2);
  create_pods(2);
  measure(2, 500);
  create_autoscaler();
  world_.settle();
  EXPECT_EQ(replicas(), 2);
  measure(2, 1000);
  world_.pass(std::chrono::seconds(14));
  EXPECT_EQ(replicas(), 2);
  world_.pass(std::chrono::seconds(1));
  EXPECT_EQ(replicas(), 4);
}

TEST_F(AutoscalerTest, KeepsWithinItsBounds) {
  create_deployment(1);
  create_autoscaler();
  world_.settle();
  EXPECT_EQ(replicas(), 2);
  EXPECT_EQ(event("SuccessfulRescale"),
            "New size: 2; reason: Current number of replicas below Spec.MinReplicas");
  create_deployment(20, "other");
  create_autoscaler("", "other", R"("kind":"Deployment","name":"other","apiVersion":"apps/v1")");
  world_.settle();
  EXPECT_EQ(replicas("other"), 10);
}

TEST_F(AutoscalerTest, IsLimitedByItsBehavior) {
  create_deployment(2);
  create_pods(2);
  measure(2, 5000);
  create_autoscaler(
      R"(,"behavior":{"scaleUp":{"policies":[{"type":"Pods","value":1,"periodSeconds":60}]}})");
  world_.settle();
  EXPECT_EQ(replicas(), 3);
  EXPECT_EQ(condition("ScalingLimited"),
            "True ScaleUpLimit: the desired replica count is increasing faster than the maximum "
            "scale rate");
  world_.pass(std::chrono::seconds(45));
  EXPECT_EQ(replicas(), 3);
  world_.pass(std::chrono::seconds(20));
  EXPECT_EQ(replicas(), 4);
}

TEST_F(AutoscalerTest, AppliesTheConfiguredTolerance) {
  create_deployment(2);
  create_pods(2);
  measure(2, 600);
  create_autoscaler(R"(,"behavior":{"scaleUp":{"tolerance":"300m"}})");
  world_.settle();
  EXPECT_EQ(replicas(), 2);
  measure(2, 700);
  world_.pass(std::chrono::seconds(15));
  EXPECT_EQ(replicas(), 3);
}

TEST_F(AutoscalerTest, IsDisabledWithZeroReplicas) {
  create_deployment(0);
  create_autoscaler();
  world_.settle();
  EXPECT_EQ(replicas(), 0);
  EXPECT_EQ(condition("ScalingActive"),
            "False ScalingDisabled: scaling is disabled since the replica count of the target is "
            "zero");
}

TEST_F(AutoscalerTest, ReportsAMissingTarget) {
  create_autoscaler();
  world_.settle();
  EXPECT_EQ(event("FailedGetScale"), "deployments.apps \"web\" not found");
  EXPECT_EQ(condition("AbleToScale"),
            "False FailedGetScale: the HPA controller was unable to get the target's current "
            "scale: deployments.apps \"web\" not found");
  create_autoscaler("", "odd", R"("kind":"Widget","name":"web","apiVersion":"example.com/v1")");
  world_.settle();
  EXPECT_EQ(condition("AbleToScale", "odd"),
            "False FailedGetScale: the HPA controller was unable to get the target's current "
            "scale: no matches for kind \"Widget\" in group \"example.com\"");
}

TEST_F(AutoscalerTest, ScalesUpButNotDownWhileAMetricFails) {
  create_deployment(3);
  create_pods(3);
  measurements.external = {12000};
  create_autoscaler();
  ASSERT_TRUE(world_.client()
                  .patch(place("web"), api::PatchType::kMerge,
                         json::parse_literal(
                             R"({"spec":{"metrics":[{"type":"Resource","resource":{"name":"cpu",)"
                             R"("target":{"type":"Utilization","averageUtilization":50}}},)"
                             R"({"type":"External","external":{"metric":{"name":"qps"},)"
                             R"("target":{"type":"Value","value":"6"}}}]}})"),
                         {}, {})
                  .ok());
  world_.settle();
  EXPECT_EQ(replicas(), 6);
  EXPECT_EQ(event("FailedGetResourceMetric"),
            "failed to get cpu utilization: unable to get metrics for resource cpu: nothing "
            "measured");
  measurements.external = {1000};
  world_.pass(std::chrono::minutes(10));
  EXPECT_EQ(replicas(), 6);
  EXPECT_EQ(condition("ScalingActive"),
            "False FailedGetResourceMetric: the HPA was unable to compute the replica count: "
            "failed to get cpu utilization: unable to get metrics for resource cpu: nothing "
            "measured");
  EXPECT_EQ(event("FailedComputeMetricsReplicas"),
            "invalid metrics (1 invalid out of 2), first error is: failed to get cpu resource "
            "metric value: failed to get cpu utilization: unable to get metrics for resource cpu: "
            "nothing measured");
}

TEST_F(AutoscalerTest, TwoAutoscalersOfTheSamePodsDoNothing) {
  create_deployment(3);
  create_pods(3);
  measure(3, 500);
  create_autoscaler();
  create_autoscaler("", "also");
  world_.pass(std::chrono::seconds(15));
  const char* why =
      "False AmbiguousSelector: pods by selector app=web are controlled by multiple HPAs: "
      "[{also default} {web default}]";
  EXPECT_EQ(condition("ScalingActive"), why);
  EXPECT_EQ(condition("ScalingActive", "also"), why);
}

TEST_F(AutoscalerTest, WritesNothingInASteadyState) {
  create_deployment(3);
  create_pods(3);
  measure(3, 500);
  create_autoscaler();
  world_.pass(std::chrono::minutes(1));
  const std::string before((*world_.client().get(place("web"), {}))->metadata().resource_version);
  const std::string scaled(
      world_.get("apps", "deployments", "default", "web")->metadata().resource_version);
  world_.restart();
  world_.pass(std::chrono::minutes(1));
  EXPECT_EQ((*world_.client().get(place("web"), {}))->metadata().resource_version, before);
  EXPECT_EQ(world_.get("apps", "deployments", "default", "web")->metadata().resource_version,
            scaled);
}

class MetriclessAutoscalerTest : public AutoscalerTest {
 protected:
  MetriclessAutoscalerTest()
      : AutoscalerTest([](const ControllerContext& context) { return make_autoscaler(context); }) {}
};

TEST_F(MetriclessAutoscalerTest, ReportsMissingMetricsApis) {
  create_deployment(3);
  create_pods(3);
  create_autoscaler();
  world_.settle();
  EXPECT_EQ(replicas(), 3);
  EXPECT_EQ(condition("ScalingActive"),
            "False FailedGetResourceMetric: the HPA was unable to compute the replica count: "
            "failed to get cpu utilization: unable to get metrics for resource cpu: unable to "
            "fetch metrics from resource metrics API: the server could not find the requested "
            "resource (get pods.metrics.k8s.io)");
  // The same status is not written again.
  const std::string before((*world_.client().get(place("web"), {}))->metadata().resource_version);
  world_.pass(std::chrono::minutes(1));
  EXPECT_EQ((*world_.client().get(place("web"), {}))->metadata().resource_version, before);
}

}  // namespace
}  // namespace proa::controllers
