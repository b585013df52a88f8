#include "controllers/lifecycle/garbage/pod_garbage_collector.h"

#include <gtest/gtest.h>

#include "api/object/view.h"
#include "testkit/controllers/test_world.h"

namespace proa::controllers {
namespace {

using std::chrono::seconds;

class PodGarbageCollectorTest : public testing::Test {
 protected:
  void SetUp() override {
    add_node("here");
    world_.settle();
  }

  void add_node(const std::string& name) {
    world_.create("", "nodes", "", R"({"metadata":{"name":")" + name + "\"}}");
    set_ready(name, "True");
  }
  void set_ready(const std::string& node, const std::string& ready) {
    world_.patch("", "nodes", "", node,
                 R"({"status":{"conditions":[{"type":"Ready","status":")" + ready + R"("}]}})",
                 "status");
  }
  void add_pod(const std::string& name, const std::string& node, const std::string& phase,
               bool held = false) {
    world_.create("", "pods", "default",
                  R"({"metadata":{"name":")" + name + R"(","finalizers":[)" +
                      (held ? R"("example.com/hold")" : "") + R"(]},"spec":{"nodeName":")" + node +
                      R"(","containers":[{"name":"c","image":"nginx"}]}})");
    world_.patch("", "pods", "default", name, R"({"status":{"phase":")" + phase + R"("}})",
                 "status");
  }
  std::string left() {
    std::string names;
    for (const api::ObjectPtr& one : world_.list("", "pods", "default")) {
      names += (names.empty() ? "" : " ") + std::string(one->metadata().name);
    }
    return names;
  }
  std::string phase(const std::string& name) {
    const json::Document document = world_.get("", "pods", "default", name)->document().value();
    return std::string(api::View(document.root())["status"]["phase"].text());
  }
  std::string disruption(const std::string& name) {
    const json::Document document = world_.get("", "pods", "default", name)->document().value();
    for (const api::View one : api::View(document.root())["status"]["conditions"].items()) {
      if (one["type"].text() != "DisruptionTarget") continue;
      return std::string(one["status"].text()) + " " + std::string(one["reason"].text()) + ": " +
             std::string(one["message"].text());
    }
    return "";
  }

  // Few enough to see what happens to those beyond.
  testkit::TestWorld world_{
      {.entries = {{"pod-garbage-collector", "pod-garbage-collector", make_pod_garbage_collector}},
       .flags = {.terminated_pod_gc_threshold = 2}}};
};

TEST_F(PodGarbageCollectorTest, TooManyFinishedPodsLoseTheOldest) {
  add_pod("a", "here", "Failed");
  world_.clock().advance(seconds(1));
  add_pod("b", "here", "Succeeded");
  add_pod("runs", "here", "Running");
  world_.pass(seconds(60));
  EXPECT_EQ(left(), "a b runs");
  world_.clock().advance(seconds(1));
  add_pod("c", "here", "Failed");
  world_.settle();
  EXPECT_EQ(left(), "a b c runs");
  world_.pass(seconds(20));
  EXPECT_EQ(left(), "b c runs");
}

TEST_F(PodGarbageCollectorTest, TooManyFinishedPodsAreFoundAfterARestart) {
  for (const char* name : {"a", "b", "c", "d"}) {
    add_pod(name, "here", "Succeeded");
    world_.clock().advance(seconds(1));
  }
  world_.restart();
  world_.pass(seconds(20));
  EXPECT_EQ(left(), "c d");
}

TEST_F(PodGarbageCollectorTest, FinishedPodsThatWentDoNotCount) {
  add_pod("a", "here", "Failed");
  add_pod("b", "here", "Failed");
  world_.settle();
  world_.remove("", "pods", "default", "a");
  add_pod("c", "here", "Failed");
  world_.pass(seconds(60));
  EXPECT_EQ(left(), "b c");
}

TEST_F(PodGarbageCollectorTest, PodsOfLostNodesFailAndGoAfterTheQuarantine) {
  add_node("gone");
  add_pod("a", "gone", "Running", true);
  add_pod("b", "gone", "Succeeded");
  add_pod("stays", "here", "Running");
  world_.settle();
  world_.remove("", "nodes", "", "gone");
  world_.pass(seconds(39));
  EXPECT_EQ(left(), "a b stays");
  EXPECT_EQ(phase("a"), "Running");
  world_.pass(seconds(1));
  EXPECT_EQ(left(), "a stays");
  EXPECT_EQ(phase("a"), "Failed");
  EXPECT_EQ(disruption("a"), "True DeletionByPodGC: PodGC: node no longer exists");
  EXPECT_TRUE(world_.get("", "pods", "default", "a")->metadata().being_deleted);
}

TEST_F(PodGarbageCollectorTest, ANodeThatComesInTimeKeepsItsPods) {
  add_pod("a", "late", "Running");
  world_.pass(seconds(30));
  add_node("late");
  world_.pass(seconds(60));
  EXPECT_EQ(left(), "a");
  EXPECT_EQ(phase("a"), "Running");
  // The next quarantine is a whole one.
  world_.remove("", "nodes", "", "late");
  world_.pass(seconds(39));
  EXPECT_EQ(left(), "a");
  world_.pass(seconds(1));
  EXPECT_EQ(left(), "");
}

TEST_F(PodGarbageCollectorTest, TheQuarantineBeginsAnewAfterARestart) {
  add_pod("a", "nowhere", "Running");
  world_.pass(seconds(30));
  world_.restart();
  world_.pass(seconds(30));
  EXPECT_EQ(left(), "a");
  world_.pass(seconds(10));
  EXPECT_EQ(left(), "");
}

TEST_F(PodGarbageCollectorTest, PodsThatNeverCameToANodeFailWhenTheyAreDeleted) {
  add_pod("held", "", "Pending", true);
  world_.settle();
  EXPECT_EQ(phase("held"), "Pending");
  world_.remove("", "pods", "default", "held");
  world_.settle();
  EXPECT_EQ(phase("held"), "Failed");
  EXPECT_EQ(disruption("held"), "");
}

TEST_F(PodGarbageCollectorTest, PodsOfNodesOutOfServiceGoWhenTheyAreDeleted) {
  add_pod("going", "here", "Running");
  add_pod("stays", "here", "Running");
  world_.settle();
  world_.remove("", "pods", "default", "going");
  world_.settle();
  EXPECT_EQ(left(), "going stays");
  world_.patch("", "nodes", "", "here",
               R"({"spec":{"taints":[{"key":"node.kubernetes.io/out-of-service",)"
               R"("value":"shutdown","effect":"NoExecute"}]}})");
  world_.settle();
  EXPECT_EQ(left(), "going stays");  // the node is ready: somebody is wrong
  set_ready("here", "Unknown");
  world_.settle();
  EXPECT_EQ(left(), "stays");
  world_.remove("", "pods", "default", "stays");
  world_.settle();
  EXPECT_EQ(left(), "");
}

TEST_F(PodGarbageCollectorTest, WritesNothingInASteadyState) {
  add_pod("held", "", "Pending", true);
  add_pod("lost", "gone", "Running", true);
  add_pod("runs", "here", "Running");
  world_.remove("", "pods", "default", "held");
  world_.pass(seconds(100));
  std::string before;
  for (const api::ObjectPtr& pod : world_.list("", "pods", "default")) before += pod->json();
  world_.restart();
  world_.pass(seconds(200));
  std::string after;
  for (const api::ObjectPtr& pod : world_.list("", "pods", "default")) after += pod->json();
  EXPECT_EQ(after, before);
}

}  // namespace
}  // namespace proa::controllers
