#include "network/announce/choose.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

namespace proa::network {
namespace {

using Names = std::set<std::string, std::less<>>;

std::vector<AnnouncedAddress> addresses(size_t count, const std::vector<std::string>& nodes) {
  std::vector<AnnouncedAddress> all;
  for (size_t i = 0; i < count; ++i) {
    all.push_back({parse_ip(fmt::format("192.0.2.{}", i)).value(), nodes});
  }
  return all;
}

// Address -> nodes that announce it.
std::map<std::string, Names> announcers(const std::vector<AnnouncedAddress>& all,
                                        const Names& running, const Names& live) {
  std::map<std::string, Names> found;
  for (const std::string& node : running) {
    for (const IpAddress& address : decide_announcements(all, node, live).announce) {
      found[address.str()].insert(node);
    }
  }
  return found;
}

TEST(DecideAnnouncements, OneNodeAnnouncesEachAddress) {
  const std::vector<std::string> nodes = {"a", "b", "c", "d", "e"};
  const Names all(nodes.begin(), nodes.end());
  const auto found = announcers(addresses(200, nodes), all, all);
  EXPECT_EQ(found.size(), 200U);
  std::map<std::string, int> loads;
  for (const auto& [address, by] : found) {
    EXPECT_EQ(by.size(), 1U) << address;
    ++loads[*by.begin()];
  }
  for (const auto& [node, load] : loads) EXPECT_GT(load, 20) << node;
}

TEST(DecideAnnouncements, OnlyTheAddressesOfADeadNodeMove) {
  const std::vector<std::string> nodes = {"a", "b", "c", "d"};
  const auto all = addresses(100, nodes);
  const Names before = {"a", "b", "c", "d"};
  const Names after = {"a", "c", "d"};
  const auto first = announcers(all, before, before);
  const auto second = announcers(all, after, after);
  EXPECT_EQ(second.size(), 100U);
  for (const auto& [address, by] : first) {
    EXPECT_EQ(second.at(address).size(), 1U);
    if (!by.contains("b")) {
      EXPECT_EQ(second.at(address), by) << address;
    }
  }
}

TEST(DecideAnnouncements, AFewNodesStandByInALargeCluster) {
  std::vector<std::string> nodes;
  for (int i = 0; i < 100; ++i) nodes.push_back(fmt::format("node-{}", i));
  const auto one = addresses(1, nodes);
  size_t part = 0;
  for (const std::string& node : nodes) part += decide_announcements(one, node, {}).takes_part;
  EXPECT_EQ(part, kStandby);
}

TEST(DecideAnnouncements, NodesWithoutAnEndpointTakeNoPart) {
  const auto local = addresses(50, {"b"});
  EXPECT_EQ(decide_announcements(local, "a", {"a", "b"}), AnnounceDecision{});
  EXPECT_EQ(decide_announcements(local, "b", {"a", "b"}).announce.size(), 50U);
  EXPECT_FALSE(decide_announcements(addresses(1, {}), "a", {"a"}).takes_part);
}

TEST(DecideAnnouncements, SpareNodesComeLast) {
  auto all = addresses(50, {"a", "b"});
  for (AnnouncedAddress& one : all) one.spare_nodes = {"server-1", "server-2"};
  const Names four = {"a", "b", "server-1", "server-2"};
  EXPECT_TRUE(decide_announcements(all, "server-1", four).announce.empty());
  EXPECT_TRUE(decide_announcements(all, "server-1", {"b", "server-1"}).announce.empty());
  // One of them stands by for each address.
  const auto found = announcers(all, {"server-1", "server-2"}, {"server-1", "server-2"});
  EXPECT_EQ(found.size(), 50U);
  for (const auto& [address, by] : found) EXPECT_EQ(by.size(), 1U) << address;
}

TEST(RankNodes, IsTheSameInEveryRelease) {
  const std::vector<std::string> nodes = {"node-1", "node-2", "node-3"};
  std::string ranks;
  for (const char* address : {"192.0.2.1", "192.0.2.2", "2001:db8::1"}) {
    for (const std::string_view node : rank_nodes(parse_ip(address).value(), nodes)) {
      ranks += node.back();
    }
    ranks += ' ';
  }
  EXPECT_EQ(ranks, "132 123 231 ");
}

}  // namespace
}  // namespace proa::network
