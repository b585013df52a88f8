#include "scheduler/plugins/preemption/evictions.h"

#include <gtest/gtest.h>

#include "testkit/scheduler/plugins/test_preemption.h"

namespace proa::scheduler {
namespace {

using namespace preemption_test;

class EvictionsTest : public testing::Test {
 protected:
  PodPtr read(const PodBuilder& pod) { return world.reader.read(pod.object()); }
  std::vector<std::string> writes() { return world.server.writes(); }
  using Lines = std::vector<std::string>;

  testkit::TestContext world;
  Evictions evictions{world.context()};
  const PodPtr high = read(pod("high", 1, 10));
};

TEST_F(EvictionsTest, MarkVictimsAndTakeThemAway) {
  bool under_way = false;
  world.server.on_write([&](std::string_view write) -> Result<void> {
    if (write == "remove pods default/a") under_way = evictions.is_under_way(high->uid());
    return {};
  });
  evictions.begin(high, api::NodeNameView("n1"), {read(running("a", "n1", 1, 1))});
  EXPECT_EQ(
      writes(),
      (Lines{R"(patch pods/status default/a {"metadata":{"uid":"uid-default-a"},"status":)"
             R"({"conditions":[{"type":"DisruptionTarget","status":"True",)"
             R"("reason":"PreemptionByScheduler","message":"default-scheduler: preempting to )"
             R"(accommodate a higher priority pod","observedGeneration":0,)"
             R"("lastTransitionTime":"2026-01-02T15:04:05Z"}]}})",
             "remove pods default/a"}));
  EXPECT_TRUE(under_way);
  EXPECT_FALSE(evictions.is_under_way(high->uid()));
  EXPECT_EQ(world.asked_gates, Lines{"uid-default-high"});
  EXPECT_EQ(world.retried, Lines{});
}

TEST_F(EvictionsTest, LeaveThoseAloneThatAreOnTheirWay) {
  const PodPtr leaving = read(running("a", "n1", 1, 1).deleted_at("2026-01-01T00:00:00Z"));
  evictions.begin(high, api::NodeNameView("n1"), {leaving});
  EXPECT_EQ(writes(), Lines{});
  EXPECT_FALSE(evictions.is_under_way(high->uid()));
  evictions.begin(high, api::NodeNameView("n1"), {leaving, read(running("b", "n1", 1, 1))});
  EXPECT_EQ(writes().size(), 2u);
}

TEST_F(EvictionsTest, AreDoneWithVictimsThatAreGone) {
  world.server.on_write([&](std::string_view write) -> Result<void> {
    if (write.find("default/a") == std::string_view::npos) return {};
    return Status(Reason::kNotFound, "gone");
  });
  evictions.begin(high, api::NodeNameView("n1"), {read(running("a", "n1", 1, 1))});
  EXPECT_EQ(writes(), Lines{});
  EXPECT_EQ(world.asked_gates, Lines{"uid-default-high"});
  EXPECT_EQ(world.retried, Lines{});
}

TEST_F(EvictionsTest, HaveThePodTriedAgainWhenOneFails) {
  world.server.on_write([&](std::string_view write) -> Result<void> {
    if (write != "remove pods default/a") return {};
    return Status(Reason::kServiceUnavailable, "the connection broke");
  });
  evictions.begin(high, api::NodeNameView("n1"),
                  {read(running("a", "n1", 1, 1)), read(running("b", "n1", 1, 1))});
  EXPECT_EQ(world.retried, Lines{"uid-default-high"}) << "once, after all of them";
  EXPECT_EQ(world.asked_gates, Lines{});
  EXPECT_FALSE(evictions.is_under_way(high->uid()));
}

TEST_F(EvictionsTest, EndANominationThatTheApiKnowsOf) {
  evictions.end_nomination(read(pod("a", 1, 1)));
  EXPECT_EQ(writes(), Lines{});
  evictions.end_nomination(read(pod("a", 1, 1).nominated("n1")));
  EXPECT_EQ(writes(), Lines{R"(patch pods/status default/a {"metadata":{"uid":"uid-default-a"},)"
                            R"("status":{"nominatedNodeName":null}})"});
}

}  // namespace
}  // namespace proa::scheduler
