#include "controllers/node/lifecycle.h"

#include <gtest/gtest.h>

#include "controllers/node/taint_eviction.h"
#include "testkit/controllers/test_nodes.h"

namespace proa::controllers::nodes {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

class NodeLifecycleTest : public testing::Test {
 protected:
  // Time in which these kubelets live.
  void live(seconds time, const std::vector<std::string>& kubelets) {
    for (seconds passed{0}; passed < time; passed += seconds(10)) {
      for (const std::string& name : kubelets) nodes_.renew(name);
      world_.pass(seconds(10));
    }
  }
  // "n0", "n1" ..., all of them ready.
  std::vector<std::string> make_cluster(int count) {
    std::vector<std::string> names;
    for (int i = 0; i < count; ++i) {
      names.push_back("n" + std::to_string(i));
      nodes_.add_ready(names.back());
    }
    world_.settle();
    return names;
  }
  std::string version(const std::string& node) {
    return std::string(nodes_.get(node)->metadata().resource_version);
  }

  testkit::TestWorld world_{std::vector<ControllerEntry>{
      {"node-lifecycle", "node-controller", make_node_lifecycle_controller},
      {"taint-eviction-controller", "node-controller", make_taint_eviction_controller}}};
  testkit::TestNodes nodes_{world_};
};

TEST_F(NodeLifecycleTest, AKubeletThatRenewsItsLeaseLives) {
  make_cluster(1);
  const std::string before = version("n0");
  live(minutes(5), {"n0"});
  EXPECT_EQ(nodes_.ready("n0"), "True Kubelet: says so");
  EXPECT_EQ(nodes_.taints("n0"), "");
  EXPECT_EQ(version("n0"), before) << "and its node is not written";
}

TEST_F(NodeLifecycleTest, ALeaseRenewalCausesNoReconcile) {
  make_cluster(2);
  live(minutes(1), {"n0", "n1"});
  world_.settle();
  nodes_.renew("n0");
  nodes_.renew("n1");
  EXPECT_EQ(world_.settle(), 0U);
}

TEST_F(NodeLifecycleTest, AKubeletThatPostsItsStatusLives) {
  make_cluster(1);
  for (int i = 0; i < 10; ++i) {
    world_.pass(seconds(40));
    nodes_.post("n0", "True");
  }
  EXPECT_EQ(nodes_.ready("n0"), "True Kubelet: says so");
}

TEST_F(NodeLifecycleTest, ANodeWithoutHeartbeatBecomesUnknown) {
  make_cluster(3);
  nodes_.add_pod("web", "n0");
  nodes_.add_pod("other", "n1");
  live(seconds(40), {"n0", "n1", "n2"});
  live(seconds(30), {"n1", "n2"});
  EXPECT_EQ(nodes_.ready("n0"), "True Kubelet: says so") << "40 seconds after it was heard of";
  live(seconds(10), {"n1", "n2"});
  for (const char* type : {"Ready", "MemoryPressure", "DiskPressure", "PIDPressure"}) {
    EXPECT_EQ(testkit::condition_text(nodes_.get("n0"), type),
              "Unknown NodeStatusUnknown: Kubelet stopped posting node status.")
        << type;
  }
  EXPECT_EQ(testkit::condition_text(nodes_.get("n0"), "NetworkUnavailable"), "none");
  EXPECT_EQ(nodes_.taints("n0"), "unreachable:NoSchedule unreachable:NoExecute");
  EXPECT_EQ(testkit::condition_text(nodes_.pod("web"), "Ready"), "False");
  EXPECT_EQ(testkit::condition_text(nodes_.pod("other"), "Ready"), "True");
  EXPECT_EQ(nodes_.events("n0"),
            "Normal NodeNotReady: Node n0 status is now: NodeNotReady\n"
            "Normal RegisteredNode: Node n0 event: Registered Node n0 in Controller\n");
  EXPECT_EQ(nodes_.events("web"), "Warning NodeNotReady: Node is not ready\n");
  EXPECT_EQ(nodes_.ready("n1"), "True Kubelet: says so");

  nodes_.post("n0", "True");
  world_.settle();
  EXPECT_EQ(nodes_.taints("n0"), "");
}

TEST_F(NodeLifecycleTest, TheTransitionIsDatedAndTheHeartbeatStays) {
  make_cluster(2);
  const std::string posted = format_time(world_.clock().now());
  live(minutes(2), {"n1"});
  const json::Document document = nodes_.get("n0")->document().value();
  for (const api::View one : api::View(document.root())["status"]["conditions"].items()) {
    EXPECT_EQ(one["lastHeartbeatTime"].text(), posted);
    EXPECT_EQ(one["lastTransitionTime"].text(), "2026-01-02T15:04:55Z");
  }
}

TEST_F(NodeLifecycleTest, AKubeletThatNeverPostedIsUnknownAfterAMinute) {
  nodes_.add_ready("n1");
  nodes_.add("n0");
  const std::string created = format_time(world_.clock().now());
  live(seconds(50), {"n1"});
  EXPECT_EQ(nodes_.ready("n0"), "none");
  live(seconds(10), {"n1"});
  for (const char* type : {"Ready", "MemoryPressure", "DiskPressure", "PIDPressure"}) {
    EXPECT_EQ(testkit::condition_text(nodes_.get("n0"), type),
              "Unknown NodeStatusNeverUpdated: Kubelet never posted node status.");
  }
  EXPECT_NE(nodes_.get("n0")->json().find(R"("lastHeartbeatTime":")" + created + "\""),
            std::string_view::npos);
  EXPECT_EQ(nodes_.events("n0"),
            "Normal RegisteredNode: Node n0 event: Registered Node n0 in Controller\n");
}

TEST_F(NodeLifecycleTest, FollowsTheKubeletsConditions) {
  make_cluster(3);
  nodes_.add_pod("web", "n0");
  world_.settle();
  nodes_.post("n0", "False");
  world_.settle();
  EXPECT_EQ(nodes_.taints("n0"), "not-ready:NoSchedule not-ready:NoExecute");
  EXPECT_EQ(testkit::condition_text(nodes_.pod("web"), "Ready"), "True")
      << "that is the kubelet's to say";
  EXPECT_NE(nodes_.get("n0")->json().find("timeAdded"), std::string_view::npos);
  // It falls silent: the taint is exchanged at once.
  live(minutes(1), {"n1", "n2"});
  EXPECT_EQ(nodes_.taints("n0"), "unreachable:NoSchedule unreachable:NoExecute");
}

TEST_F(NodeLifecycleTest, PressureAndCordonsBecomeTaints) {
  make_cluster(1);
  world_.patch("", "nodes", "", "n0", R"({"spec":{"unschedulable":true}})");
  world_.patch("", "nodes", "", "n0",
               R"({"status":{"conditions":[{"type":"Ready","status":"True"},)"
               R"({"type":"MemoryPressure","status":"True"},)"
               R"({"type":"NetworkUnavailable","status":"True"}]}})",
               "status");
  world_.settle();
  EXPECT_EQ(nodes_.taints("n0"),
            "memory-pressure:NoSchedule network-unavailable:NoSchedule unschedulable:NoSchedule");
  world_.patch("", "nodes", "", "n0", R"({"spec":{"unschedulable":null}})");
  nodes_.post("n0", "True");
  world_.settle();
  EXPECT_EQ(nodes_.taints("n0"), "");
}

TEST_F(NodeLifecycleTest, APodThatComesToALostNodeIsNotReady) {
  make_cluster(2);
  live(minutes(1), {"n1"});
  nodes_.add_pod("late", "n0");
  world_.restart();
  world_.settle();
  EXPECT_EQ(testkit::condition_text(nodes_.pod("late"), "Ready"), "False");
}

TEST_F(NodeLifecycleTest, ANewLeaderMarksUnmarkedPods) {
  make_cluster(2);
  nodes_.add_pod("web", "n0");
  // As if the first one had died right after its first write.
  world_.patch("", "nodes", "", "n0",
               R"({"status":{"conditions":[{"type":"Ready","status":"Unknown"}]}})", "status");
  world_.restart();
  world_.settle();
  EXPECT_EQ(testkit::condition_text(nodes_.pod("web"), "Ready"), "False");
}

TEST_F(NodeLifecycleTest, ANewLeaderRestartsGracePeriods) {
  make_cluster(2);
  live(seconds(40), {"n1"});
  world_.restart();
  live(seconds(40), {"n1"});
  EXPECT_EQ(nodes_.ready("n0"), "True Kubelet: says so");
  live(seconds(20), {"n1"});
  EXPECT_EQ(nodes_.ready("n0"), "Unknown NodeStatusUnknown: Kubelet stopped posting node status.");
}

TEST_F(NodeLifecycleTest, WritesNothingInASteadyState) {
  make_cluster(3);
  nodes_.add_pod("web", "n0");
  live(minutes(2), {"n1", "n2"});
  EXPECT_EQ(nodes_.taints("n0"), "unreachable:NoSchedule unreachable:NoExecute");
  const std::string lost = version("n0");
  const std::string well = version("n1");
  const std::string pod(nodes_.pod("web")->metadata().resource_version);
  world_.restart();
  live(minutes(2), {"n1", "n2"});
  EXPECT_EQ(version("n0"), lost);
  EXPECT_EQ(version("n1"), well);
  EXPECT_EQ(nodes_.pod("web")->metadata().resource_version, pod);
}

TEST_F(NodeLifecycleTest, NodesAreEmptiedOneByOne) {
  std::vector<std::string> names = make_cluster(6);
  live(seconds(30), names);
  for (const char* down : {"n0", "n1"}) nodes_.post(down, "False");
  world_.settle();
  EXPECT_EQ(nodes_.taints("n0"), "not-ready:NoSchedule not-ready:NoExecute");
  EXPECT_EQ(nodes_.taints("n1"), "not-ready:NoSchedule");
  live(seconds(10), names);
  EXPECT_EQ(nodes_.taints("n1"), "not-ready:NoSchedule not-ready:NoExecute");
}

TEST_F(NodeLifecycleTest, AZoneThatIsMostlyDownIsNotEmptied) {
  const std::vector<std::string> names = make_cluster(5);
  for (const char* down : {"n0", "n1", "n2", "n3"}) nodes_.post(down, "False");
  world_.settle();
  live(minutes(2), names);
  for (const char* down : {"n0", "n1", "n2", "n3"}) {
    EXPECT_EQ(nodes_.taints(down), "not-ready:NoSchedule") << down;
  }
  nodes_.post("n3", "True");
  nodes_.post("n2", "True");
  live(minutes(1), names);
  EXPECT_EQ(nodes_.taints("n0"), "not-ready:NoSchedule not-ready:NoExecute");
  EXPECT_EQ(nodes_.taints("n1"), "not-ready:NoSchedule not-ready:NoExecute");
  EXPECT_EQ(nodes_.taints("n2"), "");
}

TEST_F(NodeLifecycleTest, EvictsNothingInAFullDisruption) {
  const std::vector<std::string> names = make_cluster(3);
  nodes_.post("n0", "False");
  world_.settle();
  EXPECT_EQ(nodes_.taints("n0"), "not-ready:NoSchedule not-ready:NoExecute");
  world_.pass(minutes(2));
  for (const std::string& name : names) {
    EXPECT_EQ(nodes_.taints(name), "unreachable:NoSchedule") << name;
  }
  world_.restart();
  world_.pass(minutes(2));
  EXPECT_EQ(nodes_.taints("n0"), "unreachable:NoSchedule");

  // One comes back: the others have a new chance before they are emptied.
  nodes_.post("n2", "True");
  world_.settle();
  live(minutes(1), {"n2"});
  EXPECT_EQ(nodes_.taints("n2"), "");
  EXPECT_EQ(nodes_.taints("n0"), "unreachable:NoSchedule unreachable:NoExecute");
}

TEST_F(NodeLifecycleTest, PodsOfALostNodeAreGivenUpAfterFiveMinutes) {
  make_cluster(3);
  nodes_.add_pod("web", "n0");
  live(seconds(340), {"n1", "n2"});
  EXPECT_FALSE(nodes_.pod("web")->metadata().being_deleted);
  live(seconds(10), {"n1", "n2"});
  EXPECT_TRUE(nodes_.pod("web")->metadata().being_deleted) << "50 seconds, and five minutes";
}

TEST_F(NodeLifecycleTest, LabelsUnderOldNamesFollow) {
  nodes_.add("n0", R"("kubernetes.io/os":"linux","kubernetes.io/arch":"arm64",)"
                   R"("beta.kubernetes.io/arch":"amd64")");
  nodes_.add("n1", R"("beta.kubernetes.io/os":"windows")");
  world_.settle();
  EXPECT_EQ(*nodes_.get("n0")->metadata().label("beta.kubernetes.io/os"), "linux");
  EXPECT_EQ(*nodes_.get("n0")->metadata().label("beta.kubernetes.io/arch"), "arm64");
  EXPECT_EQ(*nodes_.get("n1")->metadata().label("beta.kubernetes.io/os"), "windows");
  EXPECT_EQ(nodes_.get("n1")->metadata().label("kubernetes.io/os"), nullptr);
}

TEST_F(NodeLifecycleTest, ForgetsADeletedNode) {
  make_cluster(2);
  world_.pass(seconds(1));  // one Event for each object and moment
  world_.remove("", "nodes", "", "n0");
  world_.settle();
  EXPECT_EQ(nodes_.events("n0"),
            "Normal RegisteredNode: Node n0 event: Registered Node n0 in Controller\n"
            "Normal RemovingNode: Node n0 event: Removing Node n0 from Controller\n");
  // A node of the same name starts from the beginning.
  nodes_.add("n0");
  live(seconds(50), {"n1"});
  EXPECT_EQ(nodes_.ready("n0"), "none");
}

}  // namespace
}  // namespace proa::controllers::nodes
