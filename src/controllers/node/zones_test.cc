#include "controllers/node/zones.h"

#include <gtest/gtest.h>

namespace proa::controllers::nodes {
namespace {

using std::chrono::seconds;

constexpr Steady kNow{std::chrono::hours(1)};

TEST(ZoneState, IsJudgedByTheShareOfNodesThatAreDown) {
  struct Case {
    const char* name;
    size_t ready;
    size_t not_ready;
    ZoneState state;
  };
  constexpr Case kCases[] = {
      {"all ready", 5, 0, ZoneState::kNormal},
      {"few are down", 5, 2, ZoneState::kNormal},
      {"two of three are no disruption", 1, 2, ZoneState::kNormal},
      {"three of four are", 1, 3, ZoneState::kPartialDisruption},
      {"half is not enough", 10, 10, ZoneState::kNormal},
      {"55 of 100 is", 45, 55, ZoneState::kPartialDisruption},
      {"54 of 100 is not", 46, 54, ZoneState::kNormal},
      {"one alone is everything", 0, 1, ZoneState::kFullDisruption},
      {"nobody is ready", 0, 7, ZoneState::kFullDisruption},
  };
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(zone_state(c.ready, c.not_ready, {}), c.state);
  }
}

TEST(EvictionRate, IsLowerWhenMostOfAZoneIsDown) {
  EXPECT_EQ(eviction_rate(ZoneState::kNormal, 10, {}), 0.1);
  EXPECT_EQ(eviction_rate(ZoneState::kFullDisruption, 10, {}), 0.1);
  EXPECT_EQ(eviction_rate(ZoneState::kPartialDisruption, 50, {}), 0);
  EXPECT_EQ(eviction_rate(ZoneState::kPartialDisruption, 51, {}), 0.01);
}

class ZonesTest : public testing::Test {
 protected:
  // Nodes "a0", "a1" ... of zone "a"; the first ones are down.
  void fill(const std::string& zone, int count, int down) {
    for (int i = count - 1; i >= 0; --i) put(zone + std::to_string(i), zone, i >= down);
  }
  Zones::Shift put(const std::string& node, const std::string& zone, bool ready) {
    return zones_.set(node, {.zone = zone, .ready = ready}, now_);
  }
  std::optional<Duration> wait(const std::string& node) { return zones_.wait_for_turn(node, now_); }

  Zones zones_;
  Steady now_ = kNow;
};

TEST_F(ZonesTest, OneNodeInTenSecondsHasItsTurn) {
  fill("a", 10, 3);
  EXPECT_EQ(wait("a0"), seconds(0));
  EXPECT_EQ(wait("a1"), seconds(10));
  EXPECT_EQ(wait("a2"), seconds(20));
  EXPECT_EQ(wait("a0"), seconds(0)) << "it has its turn until it gives it back";
  now_ += seconds(10);
  EXPECT_EQ(wait("a2"), seconds(10)) << "who came later waits longer, whoever asks first";
  EXPECT_EQ(wait("a1"), seconds(0));
  EXPECT_EQ(wait("a2"), seconds(10));
}

TEST_F(ZonesTest, WhoRecoversMakesRoom) {
  fill("a", 10, 3);
  EXPECT_EQ(wait("a0"), seconds(0));
  EXPECT_EQ(wait("a1"), seconds(10));
  EXPECT_EQ(wait("a2"), seconds(20));
  EXPECT_EQ(zones_.give_back("a1").nodes, std::vector<std::string>{"a2"});
  EXPECT_EQ(wait("a2"), seconds(10));
  EXPECT_TRUE(zones_.give_back("a0").nodes.empty()) << "its turn is used up";
  EXPECT_EQ(wait("a2"), seconds(10));
}

TEST_F(ZonesTest, ZonesDontWaitForEachOther) {
  fill("a", 10, 1);
  fill("b", 10, 1);
  EXPECT_EQ(wait("a0"), seconds(0));
  EXPECT_EQ(wait("b0"), seconds(0));
}

TEST_F(ZonesTest, AZoneThatIsMostlyDownIsNotEmptied) {
  fill("a", 10, 5);
  EXPECT_EQ(wait("a0"), seconds(0));
  EXPECT_EQ(wait("a1"), seconds(10));
  const Zones::Shift shift = put("a5", "a", false);
  EXPECT_FALSE(shift.everybody);
  EXPECT_EQ(shift.nodes, (std::vector<std::string>{"a0", "a1"}));
  EXPECT_EQ(wait("a1"), std::nullopt);
  EXPECT_EQ(put("a5", "a", true).nodes, (std::vector<std::string>{"a0", "a1"}));
  EXPECT_EQ(wait("a1"), seconds(10)) << "it begins slowly";
}

TEST_F(ZonesTest, ALargeOneIsEmptiedSlowly) {
  std::map<std::string, Zones::NodeState> nodes;
  for (int i = 0; i < 60; ++i) nodes["a" + std::to_string(i)] = {.zone = "a", .ready = i >= 40};
  zones_.begin(std::move(nodes), now_);
  EXPECT_EQ(wait("a0"), seconds(0));
  EXPECT_EQ(wait("a1"), seconds(100));
}

TEST_F(ZonesTest, AZoneThatIsDownAltogetherIsEmptiedAsLongAsThereAreOthers) {
  fill("a", 3, 3);
  fill("b", 3, 0);
  EXPECT_FALSE(zones_.all_down());
  EXPECT_EQ(wait("a0"), seconds(10)) << "because everything was down for a moment";
}

TEST_F(ZonesTest, EvictsNothingInAFullDisruption) {
  fill("a", 3, 2);
  EXPECT_EQ(wait("a0"), seconds(0));
  const Zones::Shift down = put("a2", "a", false);
  EXPECT_TRUE(down.everybody);
  EXPECT_TRUE(zones_.all_down());
  EXPECT_EQ(wait("a1"), std::nullopt);
  const Zones::Shift up = put("a2", "a", true);
  EXPECT_TRUE(up.everybody);
  EXPECT_FALSE(zones_.all_down());
  EXPECT_EQ(wait("a1"), seconds(10));
}

TEST_F(ZonesTest, SomeNodesDontCount) {
  zones_.set("master", {.zone = "", .ready = true, .counts = false}, now_);
  put("a", "", false);
  EXPECT_TRUE(zones_.all_down());
  EXPECT_TRUE(zones_.remove("a", now_).everybody);
  EXPECT_FALSE(zones_.all_down()) << "without nodes nothing is down";
}

TEST_F(ZonesTest, TheSameAgainChangesNothing) {
  fill("a", 3, 3);
  const Zones::Shift shift = put("a0", "a", false);
  EXPECT_FALSE(shift.everybody);
  EXPECT_TRUE(shift.nodes.empty());
}

TEST_F(ZonesTest, ANodeThatMovesWaitsInItsNewZone) {
  fill("a", 10, 3);
  fill("b", 5, 1);
  EXPECT_EQ(wait("a0"), seconds(0));
  EXPECT_EQ(wait("a1"), seconds(10));
  EXPECT_EQ(wait("a2"), seconds(20));
  EXPECT_EQ(put("a1", "b", false).nodes, std::vector<std::string>{"a2"});
  EXPECT_EQ(wait("a2"), seconds(10));
  EXPECT_EQ(wait("a1"), seconds(0));
}

}  // namespace
}  // namespace proa::controllers::nodes
