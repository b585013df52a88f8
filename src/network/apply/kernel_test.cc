#include "network/apply/kernel.h"

#include <algorithm>

#include "netlink/route/write.h"
#include "testkit/netlink/namespace_test_base.h"
#include "testkit/network/machines.h"

namespace proa::network {
namespace {

using testkit::Machines;

class KernelTest : public testkit::NamespaceTest {
 protected:
  static std::vector<NodeFacts> nodes_of(const Machines& machines, bool v6_first = false) {
    std::vector<NodeFacts> nodes;
    for (size_t i = 1; i <= machines.count(); ++i) {
      const Machines::Machine& machine = machines.at(i);
      NodeFacts facts{.name = "n" + std::to_string(i)};
      facts.ranges = {*parse_prefix("10.244." + std::to_string(i) + ".0/24"),
                      *parse_prefix("fd01:0:0:" + std::to_string(i) + "::/64")};
      facts.addresses = {*parse_ip(machine.address), *parse_ip(machine.address6)};
      if (v6_first) std::swap(facts.addresses[0], facts.addresses[1]);
      nodes.push_back(std::move(facts));
    }
    return nodes;
  }

  // Brings one machine to its plan. Returns the number of changes.
  size_t bring(const Machines& machines, size_t number, const NetworkOptions& options,
               const std::vector<NodeFacts>& nodes) {
    size_t changes = 0;
    inside(*machines.at(number).place, [&] {
      Kernel kernel = Kernel::open(options, clock_).value();
      const NodeFacts& own = nodes.at(number - 1);
      const MachineFacts facts = kernel.look(own, nodes).value();
      plan_ = make_plan(options, own, nodes, facts);
      const auto applied = kernel.apply(plan_);
      ASSERT_TRUE(applied.ok()) << applied.status().message() << "\n" << plan_.str();
      changes = *applied;
    });
    return changes;
  }

  void bring_all(const Machines& machines, const NetworkOptions& options,
                 const std::vector<NodeFacts>& nodes) {
    for (size_t i = 1; i <= machines.count(); ++i) bring(machines, i, options, nodes);
  }

  // Every pod reaches every other one, seen with its own address.
  void expect_connected(const Machines& machines) {
    for (size_t a = 1; a <= machines.count(); ++a) {
      for (size_t b = 1; b <= machines.count(); ++b) {
        if (a == b) continue;
        SCOPED_TRACE(std::to_string(a) + " to " + std::to_string(b));
        const Machines::Machine& from = machines.at(a);
        const Machines::Machine& to = machines.at(b);
        EXPECT_EQ(seen_source(*from.pod, *to.pod, to.pod_address), from.pod_address);
        EXPECT_EQ(seen_source(*from.pod, *to.pod, to.pod_address6), from.pod_address6);
        // As much as fits into one packet, and more.
        EXPECT_EQ(seen_source(*from.pod, *to.pod, to.pod_address, 1400), from.pod_address);
        EXPECT_EQ(seen_source(*from.pod, *to.pod, to.pod_address, 4000), from.pod_address);
      }
    }
  }

  // What `ip` lists in a machine.
  std::string listing(const Machines& machines, size_t number) {
    std::string text;
    inside(*machines.at(number).place, [&] {
      text = shell(
          "ip -o link | sed 's/qdisc.*//'; ip route; ip -6 route | grep -v '^fe80'; ip -o addr "
          "| grep -v fe80");
    });
    return text;
  }

  NetworkPlan plan_;
};

TEST_F(KernelTest, RoutesConnectPodsOnOneLink) {
  const Machines machines(3, false, clock_);
  EXPECT_EQ(seen_source(*machines.at(1).pod, *machines.at(2).pod, "10.244.2.2"), "");
  bring_all(machines, {}, nodes_of(machines));
  EXPECT_FALSE(plan_.tunnel.has_value());
  expect_connected(machines);
  // From the machine itself.
  EXPECT_EQ(seen_source(*machines.at(1).place, *machines.at(2).pod, "10.244.2.2"), "10.0.0.1");
}

TEST_F(KernelTest, VxlanConnectsPodsBehindRouters) {
  const Machines machines(3, true, clock_);
  bring_all(machines, {}, nodes_of(machines));
  ASSERT_TRUE(plan_.tunnel.has_value());
  EXPECT_EQ(plan_.mtu, 1450u);
  expect_connected(machines);
  EXPECT_EQ(seen_source(*machines.at(1).place, *machines.at(2).pod, "10.244.2.2"), "10.244.1.0");
}

TEST_F(KernelTest, VxlanRunsOverIpv6) {
  const Machines machines(2, true, clock_);
  bring_all(machines, {.mode = Mode::kVxlan}, nodes_of(machines, true));
  EXPECT_EQ(plan_.mtu, 1430u);
  expect_connected(machines);
}

TEST_F(KernelTest, ModesAreSwitchedWhileItRuns) {
  const Machines machines(2, false, clock_);
  const std::vector<NodeFacts> nodes = nodes_of(machines);
  const std::string before = listing(machines, 1);
  for (const Mode mode : {Mode::kVxlan, Mode::kRoutes, Mode::kVxlan, Mode::kAuto}) {
    SCOPED_TRACE(mode_name(mode));
    bring_all(machines, {.mode = mode}, nodes);
    expect_connected(machines);
  }
  bring_all(machines, {.mode = Mode::kNone}, nodes);
  EXPECT_EQ(listing(machines, 1), before);
}

TEST_F(KernelTest, AgainChangesNothing) {
  for (const bool routed : {false, true}) {
    const Machines machines(3, routed, clock_);
    const std::vector<NodeFacts> nodes = nodes_of(machines);
    EXPECT_GT(bring(machines, 1, {}, nodes), 0u);
    EXPECT_EQ(bring(machines, 1, {}, nodes), 0u) << listing(machines, 1);
  }
}

TEST_F(KernelTest, FollowsNodesThatChange) {
  const Machines machines(3, true, clock_);
  std::vector<NodeFacts> nodes = nodes_of(machines);
  bring_all(machines, {}, nodes);
  // The third takes the addresses of the second, which goes.
  NodeFacts moved = nodes[1];
  moved.name = "n3";
  std::vector<NodeFacts> fewer = {nodes[0], moved};
  bring(machines, 1, {}, fewer);
  EXPECT_EQ(plan_.tunnel->peers.size(), 1u);
  inside(*machines.at(1).place, [&] {
    const std::string entries = shell("bridge fdb show dev proa0v");
    EXPECT_NE(entries.find(netlink::mac_text(tunnel_mac("n3")) + " dst 10.0.2.2"),
              std::string::npos)
        << entries;
    EXPECT_EQ(entries.find(netlink::mac_text(tunnel_mac("n2"))), std::string::npos) << entries;
    EXPECT_EQ(shell("ip route").find("10.244.3.0/24"), std::string::npos);
  });
  // It comes back.
  bring(machines, 1, {}, nodes);
  EXPECT_EQ(seen_source(*machines.at(1).pod, *machines.at(2).pod, "10.244.2.2"), "10.244.1.2");
  // Its own address changes: the device is made anew.
  std::vector<NodeFacts> renumbered = nodes;
  renumbered[0].addresses = {*parse_ip("10.0.1.77")};
  inside(*machines.at(1).place, [&] { shell("ip addr add 10.0.1.77/24 dev eth0"); });
  for (size_t i = 1; i <= 3; ++i) bring(machines, i, {}, renumbered);
  EXPECT_EQ(seen_source(*machines.at(1).pod, *machines.at(2).pod, "10.244.2.2"), "10.244.1.2");
  EXPECT_EQ(seen_source(*machines.at(2).pod, *machines.at(1).pod, "10.244.1.2"), "10.244.2.2");
}

TEST_F(KernelTest, WhatWasDeletedComesBackAndWhatIsNotOursStays) {
  const Machines machines(2, true, clock_);
  const std::vector<NodeFacts> nodes = nodes_of(machines);
  inside(*machines.at(1).place, [&] {
    shell(
        "ip route add 10.9.0.0/16 via 10.0.1.1; ip route add 10.244.77.0/24 via 10.0.1.1 proto "
        "80 metric 5");
  });
  bring_all(machines, {}, nodes);
  for (const char* damage :
       {"ip link del proa0v", "ip link set proa0v down", "ip route del 10.244.2.0/24",
        "ip neigh del 10.244.2.0 dev proa0v", "ip addr del 10.244.1.0/32 dev proa0v",
        "ip link set proa0v mtu 1300"}) {
    SCOPED_TRACE(damage);
    inside(*machines.at(1).place, [&] { shell(damage); });
    EXPECT_GT(bring(machines, 1, {}, nodes), 0u);
    EXPECT_EQ(bring(machines, 1, {}, nodes), 0u);
    EXPECT_EQ(seen_source(*machines.at(1).pod, *machines.at(2).pod, "10.244.2.2"), "10.244.1.2");
  }
  inside(*machines.at(1).place, [&] {
    const std::string routes = shell("ip route");
    EXPECT_NE(routes.find("10.9.0.0/16"), std::string::npos);
    EXPECT_NE(routes.find("10.244.77.0/24"), std::string::npos);
  });
}

TEST_F(KernelTest, RemovesEverythingIncludingTheBridge) {
  inside([&] {
    const std::string before = shell("ip -o link; ip route; ip -6 route");
    netlink::Routing routing = netlink::Routing::open(clock_).value();
    netlink::Batch batch;
    netlink::add_link(batch, {.name = "proa0", .kind = "bridge", .up = true});
    ASSERT_TRUE(routing.apply(batch).ok());
    Kernel kernel = Kernel::open({.mode = Mode::kVxlan}, clock_).value();
    const NodeFacts own{.name = "n1",
                        .ranges = {*parse_prefix("10.244.1.0/24")},
                        .addresses = {*parse_ip("10.0.0.1")}};
    ASSERT_TRUE(kernel.apply(make_plan({.mode = Mode::kVxlan}, own, {own}, {})).ok());
    EXPECT_NE(shell("ip -o link"), before);
    ASSERT_TRUE(kernel.remove_with_bridge().ok());
    EXPECT_EQ(shell("ip -o link; ip route; ip -6 route"), before);
    EXPECT_TRUE(kernel.remove_with_bridge().ok());
  });
}

}  // namespace
}  // namespace proa::network
