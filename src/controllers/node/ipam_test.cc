#include "controllers/node/ipam.h"

#include <gtest/gtest.h>

#include <set>

#include "testkit/controllers/test_nodes.h"

namespace proa::controllers::nodes {
namespace {

class NodeIpamTest : public testing::Test {
 protected:
  explicit NodeIpamTest(const char* networks = "10.244.0.0/22",
                        std::string_view account = "node-controller")
      : world_({.entries = {{"node-ipam", account, make_node_ipam_controller}},
                .flags = {.cluster_cidr = networks}}) {}

  std::string networks(const std::string& node) {
    std::string text;
    const json::Document document = nodes_.get(node)->document().value();
    const api::View spec = api::View(document.root())["spec"];
    for (const api::View one : spec["podCIDRs"].items()) {
      text += (text.empty() ? "" : " ") + std::string(one.text());
    }
    EXPECT_EQ(spec["podCIDR"].text(), text.substr(0, text.find(' ')));
    return text;
  }
  void add_with(const std::string& node, const std::string& network) {
    world_.create("", "nodes", "",
                  R"({"metadata":{"name":")" + node + R"("},"spec":{"podCIDR":")" + network +
                      R"(","podCIDRs":[")" + network + R"("]}})");
  }

  testkit::TestWorld world_;
  testkit::TestNodes nodes_{world_};
};

TEST_F(NodeIpamTest, EachNodeHasItsOwn) {
  nodes_.add("a");
  nodes_.add("b");
  world_.settle();
  EXPECT_EQ(networks("a"), "10.244.0.0/24");
  EXPECT_EQ(networks("b"), "10.244.1.0/24");
}

TEST_F(NodeIpamTest, ANewLeaderKnowsTheAllocations) {
  nodes_.add("a");
  nodes_.add("b");
  world_.settle();
  world_.remove("", "nodes", "", "a");
  world_.restart();
  nodes_.add("c");
  nodes_.add("d");
  world_.settle();
  const std::set<std::string> all{networks("b"), networks("c"), networks("d")};
  EXPECT_EQ(all, (std::set<std::string>{"10.244.0.0/24", "10.244.1.0/24", "10.244.2.0/24"}));
  EXPECT_EQ(networks("b"), "10.244.1.0/24");
}

TEST_F(NodeIpamTest, ReservesExistingCidrs) {
  add_with("a", "10.244.0.0/24");
  add_with("elsewhere", "192.168.0.0/24");
  world_.settle();
  nodes_.add("b");
  world_.settle();
  EXPECT_EQ(networks("a"), "10.244.0.0/24");
  EXPECT_EQ(networks("elsewhere"), "192.168.0.0/24");
  EXPECT_EQ(networks("b"), "10.244.1.0/24");
}

TEST_F(NodeIpamTest, WaitingNodesGetFreedCidrs) {
  for (const char* name : {"a", "b", "c", "d"}) nodes_.add(name);
  world_.settle();
  nodes_.add("e");
  world_.settle();
  EXPECT_EQ(networks("e"), "");
  EXPECT_EQ(nodes_.events("e"),
            "Normal CIDRNotAvailable: Node e status is now: CIDRNotAvailable\n");
  world_.remove("", "nodes", "", "b");
  world_.settle();
  EXPECT_EQ(networks("e"), "10.244.1.0/24");
}

TEST_F(NodeIpamTest, FreesASharedCidrAfterBothNodes) {
  add_with("a", "10.244.3.0/24");
  add_with("twin", "10.244.3.0/24");
  for (const char* name : {"b", "c", "d"}) nodes_.add(name);
  world_.settle();
  world_.remove("", "nodes", "", "a");
  nodes_.add("e");
  world_.settle();
  EXPECT_EQ(networks("e"), "");
  world_.remove("", "nodes", "", "twin");
  world_.settle();
  EXPECT_EQ(networks("e"), "10.244.3.0/24");
}

TEST_F(NodeIpamTest, WritesNothingInASteadyState) {
  nodes_.add("a");
  world_.settle();
  const std::string before(nodes_.get("a")->metadata().resource_version);
  world_.restart();
  world_.settle();
  EXPECT_EQ(nodes_.get("a")->metadata().resource_version, before);
}

class DualNodeIpamTest : public NodeIpamTest {
 protected:
  DualNodeIpamTest() : NodeIpamTest("10.244.0.0/16,fd00:10:244::/48") {}
};

TEST_F(DualNodeIpamTest, OneOfEachFamily) {
  nodes_.add("a");
  nodes_.add("b");
  world_.settle();
  EXPECT_EQ(networks("a"), "10.244.0.0/24 fd00:10:244::/64");
  EXPECT_EQ(networks("b"), "10.244.1.0/24 fd00:10:244:1::/64");
}

class PowerlessNodeIpamTest : public NodeIpamTest {
 protected:
  // May tell of nodes, and not change them.
  PowerlessNodeIpamTest() : NodeIpamTest("10.244.0.0/22", "disruption-controller") {}
};

TEST_F(PowerlessNodeIpamTest, WhatCantBeWrittenIsSaid) {
  nodes_.add("a");
  world_.settle();
  EXPECT_EQ(networks("a"), "");
  EXPECT_EQ(nodes_.events("a"),
            "Normal CIDRAssignmentFailed: Node a status is now: CIDRAssignmentFailed\n");
}

class NoNodeIpamTest : public NodeIpamTest {
 protected:
  NoNodeIpamTest() : NodeIpamTest("") {}
};

TEST_F(NoNodeIpamTest, DoesNothingWithoutAClusterCidr) {
  nodes_.add("a");
  world_.settle();
  EXPECT_EQ(networks("a"), "");
  EXPECT_EQ(nodes_.events("a"), "");
}

}  // namespace
}  // namespace proa::controllers::nodes
