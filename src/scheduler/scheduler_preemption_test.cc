// Preemption from end to end: a scheduler over an API server.
#include <gtest/gtest.h>

#include "scheduler/scheduler.h"
#include "testkit/scheduler/scheduler_world.h"

namespace proa::scheduler {
namespace {

using testkit::make_budget;
using testkit::make_node;
using testkit::make_pod;
using testkit::NodeBuilder;
using testkit::PodBuilder;
using testkit::SchedulerWorld;

using namespace std::chrono_literals;

NodeBuilder node(std::string_view name, std::string_view cpu = "2") {
  return make_node(name).hostname(name).capacity(
      {{"cpu", std::string(cpu)}, {"memory", "8Gi"}, {"pods", "110"}});
}

PodBuilder pod(std::string_view name, std::string_view cpu, int64_t priority) {
  return make_pod(name).request({{"cpu", std::string(cpu)}}).priority(priority);
}

std::string uid_of(SchedulerWorld& world, std::string_view name) {
  return std::string(world.pod(name)->metadata().uid);
}

TEST(SchedulerPreemptionTest, MakesRoomAndWaitsForGracefulVictims) {
  SchedulerWorld world;
  world.add(node("n1"));
  world.add(pod("victim", "2", 1).node("n1"));
  world.add(pod("high", "1", 10));
  world.settle();
  EXPECT_TRUE(world.is_terminating("victim"));
  EXPECT_EQ(world.condition("victim", "DisruptionTarget"),
            "True PreemptionByScheduler: default-scheduler: preempting to accommodate a higher "
            "priority pod");
  EXPECT_EQ(world.events("victim"),
            "Normal Preempted: Preempted by pod " + uid_of(world, "high") + " on node n1\n");
  EXPECT_EQ(world.nominated("high"), "n1");
  EXPECT_EQ(world.condition("high"),
            "False Unschedulable: 0/1 nodes are available: 1 Insufficient cpu.");
  const std::vector<std::string> writes = {"patch pods/status default/victim",
                                           "remove pods default/victim",
                                           "patch pods/status default/high"};
  EXPECT_EQ(world.writes(), writes);
  // While the victim finishes, nothing more happens.
  world.pass(20s);
  EXPECT_EQ(world.writes(), writes);
  world.remove_pod("victim");
  world.settle();
  EXPECT_EQ(world.node_of("high"), "n1");
  EXPECT_EQ(world.nominated("high"), "");
}

TEST(SchedulerPreemptionTest, IsOverAtOnceWithoutGrace) {
  SchedulerWorld world;
  world.add(node("n1"));
  world.add(pod("victim", "2", 1).node("n1").grace(0));
  world.add(pod("high", "1", 10));
  world.settle();
  EXPECT_EQ(world.pod("victim"), nullptr);
  EXPECT_EQ(world.node_of("high"), "n1");
}

TEST(SchedulerPreemptionTest, KeepsTheRoomForThePodItWasMadeFor) {
  SchedulerWorld world;
  world.add(node("n1"));
  world.add(pod("victim", "2", 1).node("n1"));
  world.add(pod("high", "2", 10));
  world.settle();
  ASSERT_EQ(world.nominated("high"), "n1");
  world.add(pod("equal", "1", 10));
  world.add(pod("low", "1", 5));
  world.remove_pod("victim");
  // Less important pods that are tried first don't get it.
  world.settle();
  EXPECT_EQ(world.node_of("high"), "n1");
  EXPECT_EQ(world.node_of("equal"), "");
  EXPECT_EQ(world.node_of("low"), "");
}

TEST(SchedulerPreemptionTest, TakesNoMoreThanIsNeeded) {
  SchedulerWorld world;
  world.add(node("n1", "4"));
  world.add(pod("p3", "1", 3).node("n1").grace(0));
  world.add(pod("p2-old", "1", 2).node("n1").grace(0).started("2026-01-01T00:00:00Z"));
  world.add(pod("p2-new", "1", 2).node("n1").grace(0).started("2026-01-01T01:00:00Z"));
  world.add(pod("p4", "1", 4).node("n1").grace(0));
  world.add(pod("high", "1", 10));
  world.settle();
  EXPECT_EQ(world.node_of("high"), "n1");
  EXPECT_EQ(world.node_of("p2-new"), "gone");
  for (const char* name : {"p3", "p2-old", "p4"}) EXPECT_EQ(world.node_of(name), "n1") << name;
}

TEST(SchedulerPreemptionTest, LeavesEqualAndHigherPrioritiesAlone) {
  for (const int64_t there : {10, 11}) {
    SchedulerWorld world;
    world.add(node("n1"));
    world.add(pod("there", "2", there).node("n1"));
    world.add(pod("a", "1", 10));
    world.settle();
    EXPECT_FALSE(world.is_terminating("there"));
    EXPECT_EQ(world.nominated("a"), "");
    EXPECT_EQ(world.condition("a"),
              "False Unschedulable: 0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 "
              "nodes are available: 1 No preemption victims found for incoming pod.");
  }
}

TEST(SchedulerPreemptionTest, IsNotForPodsThatNeverPreempt) {
  SchedulerWorld world;
  world.add(node("n1"));
  world.add(pod("there", "2", 1).node("n1"));
  world.add(pod("a", "1", 10).never_preempts());
  world.settle();
  EXPECT_FALSE(world.is_terminating("there"));
  EXPECT_EQ(world.condition("a"),
            "False Unschedulable: 0/1 nodes are available: 1 Insufficient cpu. preemption: not "
            "eligible due to preemptionPolicy=Never.");
}

TEST(SchedulerPreemptionTest, RespectsBudgetsWherePossible) {
  SchedulerWorld world;
  world.add(node("n1"));
  world.add(node("n2"));
  // The one that a budget protects would be the better choice otherwise.
  world.add(pod("guarded", "2", 1).label("app", "web").node("n1"));
  world.add(pod("free", "2", 2).node("n2"));
  world.add(make_budget("web").selector({{"app", "web"}}).allowed(0));
  world.add(pod("high", "1", 10));
  world.settle();
  EXPECT_FALSE(world.is_terminating("guarded"));
  EXPECT_TRUE(world.is_terminating("free"));
  EXPECT_EQ(world.nominated("high"), "n2");
}

TEST(SchedulerPreemptionTest, BreaksABudgetWhereNothingElseHelps) {
  SchedulerWorld world;
  world.add(node("n1"));
  world.add(pod("guarded", "2", 1).label("app", "web").node("n1"));
  world.add(make_budget("web").selector({{"app", "web"}}).allowed(0));
  world.add(pod("high", "1", 10));
  world.settle();
  EXPECT_TRUE(world.is_terminating("guarded"));
}

TEST(SchedulerPreemptionTest, GoesElsewhereWhenThatComesFirst) {
  SchedulerWorld world;
  world.add(node("n1"));
  world.add(pod("victim", "2", 1).node("n1"));
  world.add(pod("high", "1", 10));
  world.settle();
  ASSERT_EQ(world.nominated("high"), "n1");
  world.add(node("n2"));
  world.settle();
  EXPECT_EQ(world.node_of("high"), "n2");
  EXPECT_EQ(world.nominated("high"), "");
  // The room is for others now.
  world.remove_pod("victim");
  world.add(pod("low", "2", 1));
  world.settle();
  EXPECT_EQ(world.node_of("low"), "n1");
}

TEST(SchedulerPreemptionTest, TakesARoomFromALessImportantPodThatWaitsForIt) {
  SchedulerWorld world;
  world.add(node("n1"));
  world.add(pod("victim", "2", 1).node("n1"));
  world.add(pod("middle", "2", 5));
  world.settle();
  ASSERT_EQ(world.nominated("middle"), "n1");
  world.add(pod("high", "2", 10));
  world.settle();
  EXPECT_EQ(world.nominated("high"), "n1");
  world.remove_pod("victim");
  world.settle();
  EXPECT_EQ(world.node_of("high"), "n1");
  EXPECT_EQ(world.node_of("middle"), "");
}

TEST(SchedulerPreemptionTest, FreesTheRoomWhenThePodIsDeleted) {
  SchedulerWorld world;
  world.add(node("n1"));
  world.add(pod("victim", "2", 1).node("n1"));
  world.add(pod("high", "2", 10));
  world.settle();
  world.add(pod("low", "2", 5));
  world.remove_pod("victim");
  world.remove_pod("high");
  world.settle();
  EXPECT_EQ(world.node_of("low"), "n1");
}

TEST(SchedulerPreemptionTest, TriesAgainWhenAVictimCouldNotBeTold) {
  SchedulerWorld world;
  world.add(node("n1"));
  world.add(pod("victim", "2", 1).node("n1").grace(0));
  world.add(pod("high", "1", 10));
  size_t failures = 0;
  world.set_fault([&](std::string_view write) -> Result<void> {
    if (write != "remove pods default/victim" || failures == 2) return {};
    ++failures;
    return Status(Reason::kServiceUnavailable, "the connection broke");
  });
  world.pass(30s);
  EXPECT_EQ(failures, 2u);
  EXPECT_EQ(world.node_of("high"), "n1");
}

TEST(SchedulerPreemptionTest, GoesOnAfterARestart) {
  SchedulerWorld world;
  world.add(node("n1"));
  world.add(pod("victim", "2", 1).node("n1"));
  world.add(pod("high", "2", 10));
  world.settle();
  world.restart();
  world.add(pod("low", "1", 5));
  world.settle();
  EXPECT_EQ(world.nominated("high"), "n1") << "it is known from the pod's status";
  EXPECT_EQ(world.condition("high"),
            "False Unschedulable: 0/1 nodes are available: 1 Insufficient cpu. preemption: not "
            "eligible due to a terminating pod on the nominated node.");
  world.remove_pod("victim");
  world.settle();
  EXPECT_EQ(world.node_of("high"), "n1");
  EXPECT_EQ(world.node_of("low"), "");
}

TEST(SchedulerPreemptionTest, ClearsTheNominationWhenNothingHelpsAnyMore) {
  SchedulerWorld world;
  world.add(node("n1"));
  world.add(pod("victim", "2", 1).node("n1"));
  world.add(pod("high", "2", 10));
  world.settle();
  ASSERT_EQ(world.nominated("high"), "n1");
  // Somebody else puts a pod there that may not be taken away.
  world.add(pod("thief", "2", 100).node("n1"));
  world.remove_pod("victim");
  world.settle();
  EXPECT_EQ(world.nominated("high"), "");
  EXPECT_EQ(world.condition("high"),
            "False Unschedulable: 0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 "
            "nodes are available: 1 No preemption victims found for incoming pod.");
}

}  // namespace
}  // namespace proa::scheduler
