#include "controllers/network/slices/hints.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/strings.h"

namespace proa::controllers {
namespace {

// "x x y!": endpoints by their zones; those with a mark are not ready, "-" has no zone.
std::vector<SliceEndpoint> in_zones(std::string_view text) {
  std::vector<SliceEndpoint> endpoints;
  for (std::string_view zone : split(text, ' ')) {
    SliceEndpoint& endpoint = endpoints.emplace_back();
    endpoint.ready = !zone.ends_with('!');
    if (zone.ends_with('!')) zone.remove_suffix(1);
    if (zone != "-") endpoint.zone = zone;
    endpoint.node = "n";
  }
  return endpoints;
}

std::string hints_of(std::span<const SliceEndpoint> endpoints) {
  std::vector<std::string> texts;
  for (const SliceEndpoint& endpoint : endpoints) {
    std::string text = endpoint.for_zones.empty() ? "-" : std::string(endpoint.for_zones.front());
    if (!endpoint.for_nodes.empty()) text += "/" + std::string(endpoint.for_nodes.front());
    texts.push_back(text);
  }
  return join(texts, " ");
}

TEST(DistributionHints, ReadyEndpointsAreForTheirOwnZoneOrNode) {
  EXPECT_FALSE(asks_for_hints(""));
  EXPECT_FALSE(asks_for_hints("PreferFar"));
  struct Case {
    const char* distribution;
    const char* hints;
  };
  for (const Case& c : {Case{"PreferClose", "x - -"}, Case{"PreferSameZone", "x - -"},
                        Case{"PreferSameNode", "x/n - -/n"}}) {
    SCOPED_TRACE(c.distribution);
    ASSERT_TRUE(asks_for_hints(c.distribution));
    std::vector<SliceEndpoint> endpoints = in_zones("x y! -");
    put_distribution_hints(endpoints, c.distribution);
    EXPECT_EQ(hints_of(endpoints), c.hints);
  }
}

TEST(AllocateZones, SaysWhyItCanNot) {
  EXPECT_EQ(allocate_zones(std::nullopt, 5).problem,
            "Insufficient Node information: allocatable CPU or zone not specified on one or more "
            "nodes");
  EXPECT_EQ(allocate_zones(ZoneRatios{{"x", 0.5}, {"y", 0.5}}, 1).problem,
            "Insufficient number of endpoints (1 endpoints, 2 zones)");
  EXPECT_EQ(allocate_zones(ZoneRatios{{"x", 0.5}, {"y", 0.4}, {"z", 0.1}}, 3).problem,
            "Unable to allocate minimum required endpoints to each zone without exceeding "
            "overload threshold (3 endpoints, 3 zones)");
}

TEST(AllocateZones, GivesEachItsShare) {
  const std::optional<ZoneRatios> ratios = ZoneRatios{{"x", 0.75}, {"y", 0.25}};
  const ZoneAllocations all = allocate_zones(ratios, 8);
  ASSERT_EQ(all.problem, "");
  EXPECT_EQ(all.zones.at("x").minimum, 5);
  EXPECT_EQ(all.zones.at("y").minimum, 2);
  EXPECT_EQ(all.zones.at("x").maximum, 6);
  EXPECT_EQ(all.zones.at("y").maximum, 3);
  EXPECT_DOUBLE_EQ(all.zones.at("x").desired, 6);
}

class TopologyHintsTest : public testing::Test {
 protected:
  // One slice with these endpoints, as it was before if `before` is given.
  TopologyHints put(std::string_view zones, const SliceFacts* before = nullptr) {
    endpoints_ = in_zones(zones);
    slice_.endpoints.clear();
    for (SliceEndpoint& endpoint : endpoints_) slice_.endpoints.push_back(&endpoint);
    slice_.changed = before == nullptr;
    const SliceToHint one{&slice_, before};
    return put_topology_hints(std::span(&one, 1), ratios_);
  }

  std::optional<ZoneRatios> ratios_ = ZoneRatios{{"x", 0.5}, {"y", 0.5}};
  std::vector<SliceEndpoint> endpoints_;
  PackedSlice slice_;
};

TEST_F(TopologyHintsTest, ZonesWithTooManyGiveToOthers) {
  struct Case {
    const char* zones;
    const char* hints;
  };
  const Case cases[] = {
      {"x y", "x y"},
      {"x x y y", "x x y y"},
      {"x x x y", "y x x y"},
      {"x x x x", "y y x x"},
      {"x x y! y y", "x x - y y"},
      {"x x z z", "x x z z"},  // who has no nodes does not give
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.zones);
    EXPECT_EQ(put(c.zones).problem, "");
    EXPECT_EQ(hints_of(endpoints_), c.hints);
  }
}

TEST_F(TopologyHintsTest, WithoutZonesThereAreNone) {
  const TopologyHints hints = put("x - y y");
  EXPECT_EQ(hints.problem, "One or more endpoints do not have a zone specified");
  EXPECT_EQ(hints_of(endpoints_), "- - - -");
}

TEST_F(TopologyHintsTest, ASliceWhoseHintsWillDoStaysAsItIs) {
  SliceFacts before;
  before.hinted = true;
  before.hints_by_zone = {{"x", 2}, {"y", 2}};
  const TopologyHints hints = put("x x x x", &before);
  EXPECT_FALSE(slice_.changed);
  EXPECT_EQ(hints.by_zone, (ZoneCounts{{"x", 2}, {"y", 2}}));

  before.hints_by_zone = {{"x", 4}};
  put("x x x x", &before);
  EXPECT_TRUE(slice_.changed);
  EXPECT_EQ(hints_of(endpoints_), "y y x x");

  before.hints_by_zone = {{"x", 2}, {"gone", 2}};
  put("x x x x", &before);
  EXPECT_TRUE(slice_.changed);

  before.hints_by_zone = {{"x", 2}, {"y", 1}};
  before.ready_without_hint = true;
  put("x x x x", &before);
  EXPECT_TRUE(slice_.changed);
}

TEST_F(TopologyHintsTest, HintsThatAreThereAreTakenAwayWhenTheyCanNotBe) {
  ratios_ = std::nullopt;
  SliceFacts before;
  EXPECT_NE(put("x y", &before).problem, "");
  EXPECT_FALSE(slice_.changed);
  before.hinted = true;
  put("x y", &before);
  EXPECT_TRUE(slice_.changed);
}

TEST(ZoneRatios, AreThePartsOfTheProcessorsOfReadyNodes) {
  const auto node = [](std::string_view zone, std::string_view cpu, bool ready = true,
                       std::string_view more = "") {
    return api::Object::make(fmt::format(
        R"({{"metadata":{{"name":"n","labels":{{"topology.kubernetes.io/zone":"{}"{}}}}},)"
        R"("status":{{"allocatable":{{"cpu":"{}"}},)"
        R"("conditions":[{{"type":"Ready","status":"{}"}}]}}}})",
        zone, more, cpu, ready ? "True" : "False"));
  };
  constexpr const char* kControlPlane = R"(,"node-role.kubernetes.io/control-plane":"")";
  using Nodes = std::vector<api::ObjectPtr>;
  EXPECT_EQ(zone_ratios(Nodes{node("x", "3"), node("y", "500m"), node("y", "500m")}),
            (ZoneRatios{{"x", 0.75}, {"y", 0.25}}));
  EXPECT_EQ(zone_ratios(Nodes{node("x", "1"), node("y", "1"), node("z", "8", false),
                              node("z", "8", true, kControlPlane)}),
            (ZoneRatios{{"x", 0.5}, {"y", 0.5}}));
  EXPECT_EQ(zone_ratios(Nodes{node("x", "1"), node("x", "1")}), std::nullopt);
  EXPECT_EQ(zone_ratios(Nodes{node("x", "1"), node("y", "1"), node("", "1")}), std::nullopt);
  EXPECT_EQ(zone_ratios(Nodes{node("x", "1"), node("y", "0")}), std::nullopt);
  EXPECT_TRUE(is_same_capacity(*node("x", "1"), *node("x", "1000m")));
  EXPECT_FALSE(is_same_capacity(*node("x", "1"), *node("y", "1")));
  EXPECT_FALSE(is_same_capacity(*node("x", "1"), *node("x", "1", false)));
}

TEST(Overloaded, WhenAZoneHasTooFew) {
  const std::optional<ZoneRatios> ratios = ZoneRatios{{"x", 0.5}, {"y", 0.5}};
  EXPECT_FALSE(is_overloaded({}, ratios));
  EXPECT_FALSE(is_overloaded({{"x", 5}, {"y", 5}}, ratios));
  EXPECT_TRUE(is_overloaded({{"x", 6}, {"y", 4}}, ratios));
  EXPECT_TRUE(is_overloaded({{"x", 5}}, ratios));
  EXPECT_TRUE(is_overloaded({{"x", 5}}, std::nullopt));
}

}  // namespace
}  // namespace proa::controllers
