// Firewalls of others, and what pods and strangers must not send.
#include <fmt/format.h>

#include "base/log.h"
#include "testkit/network/agent_test_base.h"

namespace proa::network {
namespace {

using std::chrono::seconds;
using testkit::holds_within;
using testkit::Machines;

TEST_F(NetworkAgentTest, PodsReachEachOtherWhereForwardingIsDroppedByDefault) {
  for (const std::string kind : {"nft", "legacy"}) {
    for (const bool routed : {false, true}) {
      SCOPED_TRACE(kind + (routed ? " routed" : ""));
      const std::string drop =
          "iptables-" + kind + " -P FORWARD DROP; ip6tables-" + kind + " -P FORWARD DROP";
      const Machines machines(2, routed, clock_);
      const auto reached = [&] {
        return connected(machines.at(1), machines.at(2)) &&
               connected(machines.at(2), machines.at(1)) &&
               seen_source(*machines.at(1).pod, machines.middle(), Machines::kOutside) ==
                   machines.at(1).address;
      };
      // The first machine has the firewall before, the other one gets it later.
      inside(*machines.at(1).place, [&] { shell(drop); });
      for (size_t i = 1; i <= 2; ++i) {
        create_node(machines, i, ranges_of(i));
        ASSERT_TRUE(becomes_ready(start(machines, i)));
      }
      EXPECT_TRUE(holds_within(seconds(20), reached));
      // What Docker does besides: of the older kind, only its link is noticed.
      inside(*machines.at(2).place, [&] { shell(drop + "; ip link add docker0 type bridge"); });
      EXPECT_TRUE(holds_within(seconds(20), reached));
      EXPECT_TRUE(nodes_[2]->agent->report().warnings.empty());
      if (kind == "nft") {
        inside(*machines.at(1).place, [&] { shell("iptables-nft -F; ip6tables-nft -F"); });
        EXPECT_TRUE(holds_within(seconds(20), reached));
      }
      for (size_t i = 1; i <= 2; ++i) {
        nodes_[i]->agent->stop();
        ASSERT_TRUE(api_.client().remove(place(fmt::format("n{}", i)), {}, {}).ok());
      }
      nodes_.clear();
    }
  }
}

// A machine that is no node sends packets into the pod network.
TEST_F(NetworkAgentTest, TheTunnelIsForNodesOnly) {
  const Machines machines(3, true, clock_);
  for (size_t i = 1; i <= 3; ++i) {
    create_node(machines, i, ranges_of(i));
    ASSERT_TRUE(becomes_ready(start(machines, i)));
  }
  const auto sent = [&] {
    const Machines::Machine& to = machines.at(1);
    return seen_source(*machines.at(3).pod, *to.pod, to.pod_address);
  };
  ASSERT_TRUE(holds_within(seconds(20), [&] { return sent() == machines.at(3).pod_address; }));
  // Its device and routes stay as they are.
  nodes_[3]->agent->stop();
  ASSERT_TRUE(api_.client().remove(place("n3"), {}, {}).ok());
  EXPECT_TRUE(holds_within(seconds(20), [&] { return sent().empty(); }));
  EXPECT_TRUE(connected(machines.at(1), machines.at(2)));
  // Without the rule it would arrive.
  nodes_[1]->agent->stop();
  inside(*machines.at(1).place, [&] { shell("nft flush chain ip proa-network input"); });
  EXPECT_EQ(sent(), machines.at(3).pod_address);
}

// A pod's datagram with a packet of VXLAN in it would come from its node's address.
TEST_F(NetworkAgentTest, PodsDoNotSendThroughTheTunnelThemselves) {
  const Machines machines(2, true, clock_);
  for (size_t i = 1; i <= 2; ++i) {
    create_node(machines, i, ranges_of(i));
    ASSERT_TRUE(becomes_ready(start(machines, i, {.mode = Mode::kVxlan})));
  }
  ASSERT_TRUE(holds_within(seconds(20), [&] { return connected(machines.at(1), machines.at(2)); }));
  // Counted where it would arrive.
  inside(*machines.at(2).place, [&] {
    shell(
        "nft 'table ip count { chain input { type filter hook input priority -10; udp dport "
        "4789 counter; }; }'");
  });
  const auto arrived = [&] {
    std::string text;
    inside(*machines.at(2).place, [&] { text = shell("nft list table ip count"); });
    return text.find("packets 0") == std::string::npos;
  };
  const auto send = [&](const netlink::NetworkNamespace& from, const std::string& port = "4789") {
    // The header of VXLAN with our number, and no packet.
    inside(from, [&] {
      shell(R"(bash -c "printf '\010\000\000\000\000\000\364\000' > /dev/udp/)" +
            machines.at(2).address + "/" + port + "\"");
    });
  };
  send(*machines.at(1).pod);
  EXPECT_FALSE(arrived());
  send(*machines.at(1).place);
  EXPECT_TRUE(holds_within(seconds(5), arrived));
  // Nor by a Service whose node port leads there: masqueraded, it comes from a node.
  inside(*machines.at(2).place, [&] {
    shell(
        "nft 'flush table ip count; table ip count { chain behind { type filter hook input "
        "priority 10; udp dport 4789 counter; }; chain services { type nat hook prerouting "
        "priority dstnat; udp dport 30789 counter dnat to " +
        machines.at(2).address + ":4789; }; }'");
  });
  const auto counted = [&](const std::string& chain) {
    std::string text;
    inside(*machines.at(2).place, [&] { text = shell("nft list chain ip count " + chain); });
    return text.find("packets 0") == std::string::npos;
  };
  send(*machines.at(1).pod, "30789");
  EXPECT_TRUE(holds_within(seconds(5), [&] { return counted("services"); }));
  EXPECT_FALSE(counted("behind"));
  send(*machines.at(1).place);
  EXPECT_TRUE(holds_within(seconds(5), [&] { return counted("behind"); }));
  // Nothing that comes through it is believed about routes.
  inside(*machines.at(2).place,
         [&] { EXPECT_EQ(shell("cat /proc/sys/net/ipv6/conf/proa0v/accept_ra"), "0\n"); });
}

// Where pods have ports of the node, the plugin portmap lets the bridge route to loopback.
TEST_F(NetworkAgentTest, PodsDoNotReachTheLoopbackOfTheirNode) {
  const Machines machines(1, false, clock_);
  const Machines::Machine& node = machines.at(1);
  create_node(machines, 1, ranges_of(1));
  ASSERT_TRUE(becomes_ready(start(machines, 1)));
  inside(*node.place, [&] { shell("echo 1 >/proc/sys/net/ipv4/conf/proa0/route_localnet"); });
  inside(*node.pod, [&] {
    shell(
        "ip address flush dev lo; echo 1 >/proc/sys/net/ipv4/conf/eth0/route_localnet; ip route "
        "add "
        "127.0.0.1 via $(ip -4 route show default | cut -d ' ' -f 3)");
  });
  inside(*node.place, [&] {
    shell(
        "nft 'table ip count { chain input { type filter hook input priority 10; iifname proa0 ip "
        "daddr 127.0.0.1 udp dport 7000 counter; }; }'");
  });
  const auto reached = [&] {
    inside(*node.pod, [&] { shell("bash -c 'echo x >/dev/udp/127.0.0.1/7000'"); });
    std::string text;
    inside(*node.place, [&] { text = shell("nft list table ip count"); });
    return text.find("packets 0") == std::string::npos;
  };
  EXPECT_FALSE(reached());
  nodes_[1]->agent->stop();
  inside(*node.place, [&] { shell("nft flush chain ip proa-network prerouting"); });
  EXPECT_TRUE(holds_within(seconds(5), reached)) << "without the rule";
}

TEST_F(NetworkAgentTest, PodsHaveNoAddressesOfOthers) {
  const Machines machines(2, false, clock_);
  for (size_t i = 1; i <= 2; ++i) {
    create_node(machines, i, ranges_of(i));
    ASSERT_TRUE(becomes_ready(start(machines, i)));
  }
  const Machines::Machine& to = machines.at(2);
  const auto connected_as = [&](const netlink::NetworkNamespace& from, const char* link,
                                const std::string& address) {
    inside(from, [&] {
      shell(
          fmt::format("ip address add {} dev {} nodad; ip route replace 10.244.2.2 via $(ip -4 "
                      "route show default | cut -d ' ' -f 3) src {}",
                      address, link, address));
    });
    return seen_source(from, *to.pod, to.pod_address);
  };
  ASSERT_TRUE(holds_within(seconds(20), [&] { return connected(machines.at(1), to); }));
  EXPECT_EQ(connected_as(*machines.at(1).pod, "eth0", "8.8.8.8"), "");
  // Of a pod of the other node.
  EXPECT_EQ(connected_as(*machines.at(1).pod, "eth0", "10.244.2.9"), "");
  EXPECT_EQ(connected_as(*machines.at(1).pod, "eth0", "10.244.1.77"), "10.244.1.77");
}

TEST_F(NetworkAgentTest, FirewallsThatItCannotPassAreReported) {
  const Machines machines(1, false, clock_);
  create_node(machines, 1, ranges_of(1));
  Node& node = start(machines, 1);
  ASSERT_TRUE(becomes_ready(node));
  EXPECT_TRUE(node.agent->report().warnings.empty());
  const int news = node.news;
  inside(*machines.at(1).place, [&] {
    shell(
        "nft 'table inet filter { chain forward { type filter hook forward priority 0; policy "
        "drop; }; }'");
  });
  EXPECT_TRUE(holds_within(seconds(20), [&] { return node.agent->report().warnings.size() == 1; }));
  // Told of after it is there.
  EXPECT_TRUE(holds_within(seconds(20), [&] { return node.news > news; }));
  EXPECT_TRUE(node.agent->state().ok());
  inside(*machines.at(1).place, [&] { shell("nft delete table inet filter"); });
  EXPECT_TRUE(holds_within(seconds(20), [&] { return node.agent->report().warnings.empty(); }));
}

std::atomic<int> g_problems{0};

TEST_F(NetworkAgentTest, AFirewallThatComesAndGoesDoesNotFillTheLog) {
  const Machines machines(1, false, clock_);
  create_node(machines, 1, ranges_of(1));
  const Node& node = start(machines, 1);
  ASSERT_TRUE(becomes_ready(node));
  set_log_sink([](std::string_view line) {
    if (line.find("pod network has a problem") != std::string_view::npos) ++g_problems;
  });
  inside(*machines.at(1).place, [&] {
    for (int i = 0; i < 45; ++i) {
      shell(
          "nft 'table inet filter { chain forward { type filter hook forward priority 0; policy "
          "drop; }; }'");
      ASSERT_TRUE(
          holds_within(seconds(20), [&] { return !node.agent->report().warnings.empty(); }));
      shell("nft delete table inet filter");
      ASSERT_TRUE(holds_within(seconds(20), [&] { return node.agent->report().warnings.empty(); }));
    }
  });
  set_log_sink(nullptr);
  EXPECT_GE(g_problems, 1);
  EXPECT_LT(g_problems, 40);
}

}  // namespace
}  // namespace proa::network
