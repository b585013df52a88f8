#include "testkit/scheduler/builders.h"

#include <gtest/gtest.h>

namespace proa::testkit {
namespace {

std::string field(const api::ObjectPtr& object, std::string_view path) {
  const json::Document document = object->document().value();
  return std::string(api::View(document.root()).at(path).text("absent"));
}

TEST(Builders, APodHasWhatTheServerFillsIn) {
  const api::ObjectPtr pod = make_pod("a").in("ns").limit({{"cpu", "0.5"}}).object();
  const json::Document document = pod->document().value();
  const api::View spec = api::View(document.root())["spec"];
  EXPECT_EQ(spec["schedulerName"].text(), "default-scheduler");
  EXPECT_EQ(spec["restartPolicy"].text(), "Always");
  EXPECT_EQ(spec["terminationGracePeriodSeconds"].integer(), 30);
  EXPECT_EQ(spec["containers"].item(0)["resources"]["requests"]["cpu"].text(), "500m");
  EXPECT_EQ(spec["preemptionPolicy"].text(), "PreemptLowerPriority");
  EXPECT_EQ(field(pod, "status.phase"), "Pending");
  EXPECT_EQ(pod->metadata().uid, "uid-ns-a");
  EXPECT_EQ(pod->metadata().resource_version, "1");
  EXPECT_EQ(field(pod, "metadata.creationTimestamp"), "2026-01-01T00:00:00Z");
}

TEST(Builders, APodWithANodeRuns) {
  EXPECT_EQ(field(make_pod("a").node("n1").object(), "status.phase"), "Running");
  EXPECT_EQ(field(make_pod("a").node("n1").phase("Failed").object(), "status.phase"), "Failed");
}

TEST(Builders, KeysOfLabelsBecomePartOfSelectors) {
  const api::ObjectPtr pod = make_pod("a")
                                 .label("version", "2")
                                 .spread_json(R"({"maxSkew":1,"topologyKey":"zone",
                                     "whenUnsatisfiable":"DoNotSchedule","labelSelector":{},
                                     "matchLabelKeys":["version"]})")
                                 .object();
  EXPECT_NE(pod->json().find(R"([{"key":"version","operator":"In","values":["2"]}])"),
            std::string_view::npos)
      << pod->json();
}

TEST(Builders, ACopyGoesItsOwnWay) {
  const PodBuilder web = make_pod("web").label("app", "web");
  EXPECT_EQ(field(PodBuilder(web).node("n1").object(), "spec.nodeName"), "n1");
  EXPECT_EQ(field(web.object(), "spec.nodeName"), "absent");
}

TEST(Builders, MethodsAboutContainersMeanTheLastOne) {
  const api::ObjectPtr pod = make_pod("a")
                                 .image("x")
                                 .host_port(80)
                                 .container()
                                 .image("y")
                                 .request({{"cpu", "1"}, {"memory", "1Gi"}})
                                 .object();
  const json::Document document = pod->document().value();
  const api::View containers = api::View(document.root())["spec"]["containers"];
  ASSERT_EQ(containers.size(), 2U);
  EXPECT_EQ(containers.item(0)["image"].text(), "x");
  EXPECT_EQ(containers.item(0)["ports"].item(0)["hostPort"].integer(), 80);
  EXPECT_TRUE(containers.item(0)["resources"].empty());
  EXPECT_EQ(containers.item(1)["image"].text(), "y");
  EXPECT_EQ(containers.item(1)["resources"]["requests"]["memory"].text(), "1Gi");
}

TEST(Builders, ANodesCapacityIsForPods) {
  const api::ObjectPtr node = make_node("n1")
                                  .zone("a")
                                  .capacity({{"cpu", "4"}, {"pods", "110"}})
                                  .taint("k", "v", "NoSchedule")
                                  .unschedulable()
                                  .image("nginx:latest", 40'000'000)
                                  .object();
  EXPECT_EQ(field(node, "status.allocatable.pods"), "110");
  EXPECT_EQ(node->metadata().uid, "uid-n1");
  EXPECT_EQ(*node->metadata().label("topology.kubernetes.io/zone"), "a");
}

TEST(Builders, StorageAndWorkloadsHaveTheirDefaults) {
  EXPECT_EQ(field(make_claim("c").volume("v").object(), "status.phase"), "Bound");
  EXPECT_EQ(field(make_claim("c").object(), "spec.volumeMode"), "Filesystem");
  EXPECT_EQ(field(make_volume("v").claimed_by("ns", "c").object(), "spec.claimRef.uid"),
            "uid-ns-c");
  EXPECT_EQ(field(make_storage_class("s").object(), "volumeBindingMode"), "Immediate");
  EXPECT_EQ(field(make_namespace("ns").object(), "status.phase"), "Active");
  EXPECT_EQ(make_pod("a")
                .in("ns")
                .owner("apps/v1", "ReplicaSet", "r")
                .object()
                ->metadata()
                .owners.front()
                .uid,
            make_replica_set("r").in("ns").selector({{"a", "b"}}).object()->metadata().uid);
  const std::string csi(make_csi_node("n1").driver("d", 3).object()->json());
  EXPECT_NE(csi.find(R"("allocatable":{"count":3})"), std::string::npos) << csi;
  const std::string budget(make_budget("b").selector({{"a", "b"}}).allowed(2).object()->json());
  EXPECT_NE(budget.find(R"("disruptionsAllowed":2)"), std::string::npos) << budget;
}

}  // namespace
}  // namespace proa::testkit
