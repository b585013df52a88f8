#include "network/plan/plan.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/strings.h"
#include "testkit/golden.h"

namespace proa::network {
namespace {

// The facts of a plan, one per line:
//   mode MODE
//   own NAME RANGE,... ADDRESS,...
//   node NAME RANGE,... ADDRESS,...
//   way ADDRESS onlink|routed|local [LINK]
//   mtu NUMBER
//   keep RANGE
//   asked RANGE
//   encrypt
//   key NAME NUMBER (of a node: that byte, 32 times)
//   network ADDRESS/BITS LINK
// "-" is an empty list.
struct Scene {
  NetworkOptions options = {};
  NodeFacts own = {};
  std::vector<NodeFacts> nodes = {};
  MachineFacts machine = {};
};

NodeFacts node_of(const std::vector<std::string_view>& words) {
  NodeFacts facts;
  facts.name = words.at(1);
  for (const std::string_view one : split(words.at(2), ',')) {
    if (one != "-") facts.ranges.push_back(parse_prefix(one).value());
  }
  for (const std::string_view one : split(words.at(3), ',')) {
    if (one != "-") facts.addresses.push_back(parse_ip(one).value());
  }
  return facts;
}

void read_line(Scene& scene, std::string_view line) {
  const std::vector<std::string_view> words = split(line, ' ');
  if (words[0] == "mode") scene.options.mode = parse_mode(words.at(1)).value();
  if (words[0] == "mtu") scene.machine.mtu = static_cast<uint32_t>(*parse_uint(words.at(1)));
  if (words[0] == "keep") scene.options.no_masquerade.push_back(parse_prefix(words.at(1)).value());
  if (words[0] == "encrypt") scene.options.encryption.emplace();
  if (words[0] == "key") {
    for (NodeFacts& node : scene.nodes) {
      if (node.name != words.at(1)) continue;
      node.key.emplace().fill(static_cast<uint8_t>(*parse_uint(words.at(2))));
    }
  }
  if (words[0] == "asked") scene.options.asked_ranges.push_back(parse_prefix(words.at(1)).value());
  if (words[0] == "network") {
    scene.machine.networks.push_back(
        {.link = std::string(words.at(2)), .prefix = parse_prefix(words.at(1)).value()});
  }
  if (words[0] == "own" || words[0] == "node") scene.nodes.push_back(node_of(words));
  if (words[0] == "own") scene.own = scene.nodes.back();
  if (words[0] == "way") {
    scene.machine.ways[parse_ip(words.at(1)).value()] = {
        .link = words.size() > 3 ? static_cast<int>(*parse_uint(words[3])) : 2,
        .on_link = words.at(2) == "onlink",
        .local = words.at(2) == "local"};
  }
}

TEST(MakePlan, DecidesHowPodsReachEachOther) {
  testkit::run_golden(
      std::filesystem::path(__FILE__).parent_path() / "testdata/plan.txt",
      [](std::string_view command) {
        Scene scene;
        for (const std::string_view line : split(command, '\n')) {
          if (!line.starts_with('#')) read_line(scene, line);
        }
        return make_plan(scene.options, scene.own, scene.nodes, scene.machine).str();
      });
}

TEST(TunnelMac, IsLocalUnicastAndDiffersByName) {
  const netlink::MacAddress a = tunnel_mac("node-a");
  EXPECT_EQ(a, tunnel_mac("node-a"));
  EXPECT_NE(a, tunnel_mac("node-b"));
  EXPECT_EQ(a[0], 0x02);
}

TEST(RouteMetric, DiffersBetweenNodesOfOneMachine) {
  NetworkOptions other;
  other.bridge = "proa-12345678";
  EXPECT_NE(route_metric({}), route_metric(other));
  EXPECT_GT(route_metric({}), 1024u);
}

TEST(Mode, HasANameThatIsReadBack) {
  for (const Mode mode : {Mode::kAuto, Mode::kRoutes, Mode::kVxlan, Mode::kNone}) {
    EXPECT_EQ(parse_mode(mode_name(mode)), mode);
  }
  EXPECT_FALSE(parse_mode("bgp").has_value());
}

}  // namespace
}  // namespace proa::network
