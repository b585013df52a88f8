#include "network/agent.h"

#include <fmt/format.h>

#include <fstream>

#include "base/log.h"
#include "json/parse.h"
#include "network/cni/cni_folder.h"
#include "testkit/apiserver/test_clients.h"
#include "testkit/netlink/namespace_test_base.h"
#include "testkit/network/machines.h"
#include "testkit/patience.h"
#include "testkit/process.h"

namespace proa::network {
namespace {

using std::chrono::seconds;
using testkit::holds_within;
using testkit::Machines;

constexpr const char* kUsersConfig = R"({"name":"mine","plugins":[{"type":"bridge"}]})";

// Agents of several machines beside one API server.
class NetworkAgentTest : public testkit::NamespaceTest {
 protected:
  struct Node {
    std::string cni;
    std::atomic<int> changed = 0;
    std::atomic<int> news = 0;
    Result<void> claim;
    std::unique_ptr<NetworkAgent> agent;
  };

  void TearDown() override {
    for (const auto& [number, node] : nodes_) node->agent->stop();
  }

  client::Place place(const std::string& name, std::string subresource = {}) const {
    return {.resource = apiserver::find_resource("", "nodes"),
            .name_space = "",
            .name = name,
            .subresource = std::move(subresource)};
  }

  static std::string ranges_of(size_t number) {
    return fmt::format(R"("podCIDR":"10.244.{0}.0/24","podCIDRs":["10.244.{0}.0/24",)"
                       R"("fd01:0:0:{0}::/64"])",
                       number);
  }

  void create_node(const Machines& machines, size_t number, const std::string& ranges) {
    const Machines::Machine& machine = machines.at(number);
    const std::string name = fmt::format("n{}", number);
    const auto made = api_.client().create(
        place(name),
        json::parse_literal(fmt::format(
            R"({{"metadata":{{"name":"{}"}},"spec":{{{}}},"status":{{"addresses":[)"
            R"({{"type":"InternalIP","address":"{}"}},{{"type":"InternalIP","address":"{}"}},)"
            R"({{"type":"Hostname","address":"x"}}]}}}})",
            name, ranges, machine.address, machine.address6)),
        {}, {});
    ASSERT_TRUE(made.ok()) << made.status().message();
  }

  void patch(const std::string& name, const std::string& text, std::string subresource = {}) {
    const auto patched =
        api_.client().patch(place(name, std::move(subresource)), api::PatchType::kMerge,
                            json::parse_literal(text), {}, {});
    ASSERT_TRUE(patched.ok()) << patched.status().message();
  }

  Node& start(const Machines& machines, size_t number, NetworkOptions options = {}) {
    auto& node = nodes_[number];
    node = std::make_unique<Node>();
    node->cni = folder_.file(fmt::format("cni{}", number));
    EXPECT_TRUE(files_.make_dirs(node->cni, 0700).ok());
    node->agent = std::make_unique<NetworkAgent>(
        NetworkAgent::Context{.client = api_.client(),
                              .schema = api::builtin_schema(),
                              .clock = clock_,
                              .random = random_,
                              .files = files_,
                              .node = api::NodeName(fmt::format("n{}", number)),
                              .options = std::move(options),
                              .cni_folder = node->cni,
                              .cni_state = "/run/none",
                              .cni_plugins = plugins_,
                              .claim = [&claim = node->claim](const auto&) { return claim; },
                              .changed = [&changed = node->changed] { ++changed; },
                              .news = [&news = node->news] { ++news; }});
    inside(*machines.at(number).place, [&] {
      const auto started = node->agent->start();
      ASSERT_TRUE(started.ok()) << started.status().message();
    });
    return *node;
  }

  bool becomes_ready(const Node& node) {
    return holds_within(seconds(20), [&] { return node.agent->state().ok(); });
  }

  std::string config_of(const Node& node) {
    const auto text = files_.read_file(node.cni + "/" + std::string(kOwnConfig), 1 << 16);
    return text.ok() ? *text : std::string();
  }

  static bool connected(const Machines::Machine& from, const Machines::Machine& to) {
    return seen_source(*from.pod, *to.pod, to.pod_address) == from.pod_address &&
           seen_source(*from.pod, *to.pod, to.pod_address6) == from.pod_address6;
  }

  testkit::TempDir folder_;
  std::string plugins_;
  SystemFiles files_;
  SystemRandom random_;
  apiserver::LocalTestClient api_;
  std::map<size_t, std::unique_ptr<Node>> nodes_;
};

TEST_F(NetworkAgentTest, ConnectsNodesAsTheyCome) {
  for (const bool routed : {false, true}) {
    SCOPED_TRACE(routed);
    const Machines machines(3, routed, clock_);
    for (size_t i = 1; i <= 3; ++i) {
      create_node(machines, i, ranges_of(i));
      EXPECT_TRUE(becomes_ready(start(machines, i)))
          << nodes_[i]->agent->state().status().message();
    }
    EXPECT_TRUE(holds_within(seconds(20), [&] {
      return connected(machines.at(1), machines.at(3)) && connected(machines.at(3), machines.at(2));
    }));
    // To the outside with the node's address, which other machines know the way to.
    EXPECT_EQ(seen_source(*machines.at(1).pod, machines.middle(), Machines::kOutside),
              machines.at(1).address);
    EXPECT_NE(config_of(*nodes_[1]).find(routed ? "\"mtu\": 1450" : "\"mtu\": 1500"),
              std::string::npos)
        << config_of(*nodes_[1]);
    for (size_t i = 1; i <= 3; ++i) {
      nodes_[i]->agent->stop();
      ASSERT_TRUE(api_.client().remove(place(fmt::format("n{}", i)), {}, {}).ok());
    }
    nodes_.clear();
  }
}

TEST_F(NetworkAgentTest, WaitsForItsRanges) {
  const Machines machines(1, false, clock_);
  create_node(machines, 1, "");
  const Node& node = start(machines, 1);
  EXPECT_TRUE(holds_within(seconds(20), [&] { return node.agent->state().is(Reason::kNotFound); }));
  EXPECT_EQ(config_of(node), "");
  patch("n1", "{\"spec\":{" + ranges_of(1) + "}}");
  EXPECT_TRUE(becomes_ready(node));
  EXPECT_EQ(node.changed, 1);
  EXPECT_NE(config_of(node).find("10.244.1.0/24"), std::string::npos);
}

TEST_F(NetworkAgentTest, FollowsNodesAndTheKernel) {
  const Machines machines(2, true, clock_);
  for (size_t i = 1; i <= 2; ++i) {
    create_node(machines, i, ranges_of(i));
    ASSERT_TRUE(becomes_ready(start(machines, i)));
  }
  const auto reached = [&] { return connected(machines.at(1), machines.at(2)); };
  ASSERT_TRUE(holds_within(seconds(20), reached));
  // What others delete comes back.
  inside(*machines.at(1).place, [&] { shell("ip link del proa0v"); });
  EXPECT_TRUE(holds_within(seconds(20), reached));
  inside(*machines.at(1).place, [&] { shell("ip route del 10.244.2.0/24"); });
  EXPECT_TRUE(holds_within(seconds(20), reached));
  inside(*machines.at(1).place, [&] {
    shell(
        "bridge fdb flush dev proa0v 2>/dev/null || "
        "bridge fdb show dev proa0v | while read mac rest; do "
        "bridge fdb del $mac dev proa0v dst 10.0.2.2; done");
  });
  EXPECT_TRUE(holds_within(seconds(20), reached));
  inside(*machines.at(1).place, [&] { shell("ip neigh flush dev proa0v nud permanent"); });
  EXPECT_TRUE(holds_within(seconds(20), reached));
  inside(*machines.at(1).place, [&] { shell("nft delete table ip proa-network"); });
  EXPECT_TRUE(holds_within(seconds(20), [&] {
    return seen_source(*machines.at(1).pod, machines.middle(), Machines::kOutside) ==
           machines.at(1).address;
  }));
  // The other machine gets another address.
  inside(*machines.at(2).place, [&] {
    shell(
        "ip addr del 10.0.2.2/24 dev eth0; ip addr add 10.0.2.77/24 dev eth0; ip route replace "
        "default via 10.0.2.1");
  });
  patch("n2",
        R"({"status":{"addresses":[{"type":"InternalIP","address":"10.0.2.77"},)"
        R"({"type":"InternalIP","address":"fd00:2::2"}]}})",
        "status");
  EXPECT_TRUE(holds_within(seconds(20), reached));
  // It goes.
  ASSERT_TRUE(api_.client().remove(place("n2"), {}, {}).ok());
  EXPECT_TRUE(holds_within(seconds(20), [&] {
    std::string routes;
    inside(*machines.at(1).place, [&] { routes = shell("ip route; ip -o link"); });
    return routes.find("10.244.2.0/24") == std::string::npos &&
           routes.find("proa0v") == std::string::npos;
  }));
}

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
  const auto send = [&](const netlink::NetworkNamespace& from) {
    // The header of VXLAN with our number, and no packet.
    inside(from, [&] {
      shell(R"(bash -c "printf '\010\000\000\000\000\000\364\000' > /dev/udp/)" +
            machines.at(2).address + R"(/4789")");
    });
  };
  send(*machines.at(1).pod);
  EXPECT_FALSE(arrived());
  send(*machines.at(1).place);
  EXPECT_TRUE(holds_within(seconds(5), arrived));
  // Nothing that comes through it is believed about routes.
  inside(*machines.at(2).place,
         [&] { EXPECT_EQ(shell("cat /proc/sys/net/ipv6/conf/proa0v/accept_ra"), "0\n"); });
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

TEST_F(NetworkAgentTest, ConfigurationsOfTheUserAreLeftAlone) {
  const Machines machines(1, false, clock_);
  create_node(machines, 1, ranges_of(1));
  ASSERT_TRUE(files_.make_dirs(folder_.file("cni1"), 0700).ok());
  inside(*machines.at(1).place, [&] {
    // Of an earlier start.
    shell("iptables-nft -P FORWARD DROP; iptables-nft -N proa0-forward");
  });
  const std::string users = folder_.file("cni1") + "/87-bridge.conflist";
  ASSERT_TRUE(files_.write_file_atomic(users, kUsersConfig, 0600).ok());
  const Node& node = start(machines, 1, {.mode = Mode::kVxlan});
  ASSERT_TRUE(becomes_ready(node));
  EXPECT_EQ(config_of(node), "");
  EXPECT_EQ(files_.read_file(users, 100).value(), kUsersConfig);
  inside(*machines.at(1).place, [&] {
    EXPECT_EQ(shell("ip -o link").find("proa0v"), std::string::npos);
    EXPECT_EQ(shell("nft list ruleset").find("proa-network"), std::string::npos);
    EXPECT_EQ(shell("nft list ruleset").find("proa0-forward"), std::string::npos);
  });
}

TEST_F(NetworkAgentTest, GivesWayToConfigurationsOfTheUserAndComesBack) {
  const Machines machines(2, false, clock_);
  for (size_t i = 1; i <= 2; ++i) {
    create_node(machines, i, ranges_of(i));
    ASSERT_TRUE(becomes_ready(start(machines, i)));
  }
  const Node& node = *nodes_[1];
  const auto routed = [&] {
    std::string routes;
    inside(*machines.at(1).place, [&] { routes = shell("ip route; nft list ruleset"); });
    return routes.find("10.244.2.0/24") != std::string::npos &&
           routes.find("proa-network") != std::string::npos;
  };
  ASSERT_TRUE(holds_within(seconds(20), routed));
  EXPECT_FALSE(node.agent->report().foreign);
  const std::string users = node.cni + "/87-bridge.conflist";
  ASSERT_TRUE(files_.write_file_atomic(users, kUsersConfig, 0600).ok());
  EXPECT_TRUE(holds_within(seconds(20), [&] {
    return node.agent->report().foreign && config_of(node).empty() && !routed();
  }));
  EXPECT_EQ(node.agent->report().warnings.size(), 1u);
  ASSERT_TRUE(files_.remove(users).ok());
  EXPECT_TRUE(holds_within(seconds(20), [&] {
    return !node.agent->report().foreign && !config_of(node).empty() && routed();
  }));
  // Pods that ran all the time are connected again, without a word to them.
  EXPECT_TRUE(holds_within(seconds(20), [&] { return connected(machines.at(2), machines.at(1)); }));
  // What is no configuration is reported.
  ASSERT_TRUE(files_.write_file_atomic(node.cni + "/00-note.json", "", 0600).ok());
  EXPECT_TRUE(holds_within(seconds(20), [&] { return node.agent->report().warnings.size() == 1; }));
  EXPECT_FALSE(node.agent->report().foreign);
  ASSERT_TRUE(files_.remove(node.cni + "/00-note.json").ok());
  // Our own comes back, too.
  ASSERT_TRUE(files_.remove(node.cni + "/" + std::string(kOwnConfig)).ok());
  EXPECT_TRUE(holds_within(seconds(20), [&] { return !config_of(node).empty(); }));
}

TEST_F(NetworkAgentTest, ReportsWhatIsWrong) {
  const Machines machines(1, false, clock_);
  create_node(machines, 1, ranges_of(1));
  NetworkOptions options;
  options.asked_ranges = {parse_prefix("10.9.0.0/24").value()};
  Node& node = start(machines, 1, options);
  ASSERT_TRUE(becomes_ready(node));
  EXPECT_EQ(node.agent->report().warnings.size(), 1u);
  // A link comes whose network is larger, then one within.
  const int news = node.news;
  inside(*machines.at(1).place, [&] {
    shell("ip link add x0 type bridge && ip link set x0 up && ip addr add 10.244.77.1/16 dev x0");
  });
  EXPECT_TRUE(holds_within(seconds(20), [&] { return node.agent->report().warnings.size() == 2; }));
  // Told of after it is there.
  EXPECT_TRUE(holds_within(seconds(20), [&] { return node.news > news; }));
  EXPECT_TRUE(node.agent->state().ok());
  inside(*machines.at(1).place, [&] { shell("ip link del x0"); });
  EXPECT_TRUE(holds_within(seconds(20), [&] { return node.agent->report().warnings.size() == 1; }));
}

TEST_F(NetworkAgentTest, RangesOfTheMachineItselfAreNotUsed) {
  const Machines machines(1, false, clock_);
  create_node(machines, 1, ranges_of(1));
  inside(*machines.at(1).place, [&] {
    shell("ip link add x0 type bridge && ip link set x0 up && ip addr add 10.244.1.7/25 dev x0");
  });
  Node& node = start(machines, 1);
  EXPECT_TRUE(holds_within(seconds(20), [&] { return node.agent->state().is(Reason::kConflict); }));
  EXPECT_EQ(config_of(node), "");
  inside(*machines.at(1).place, [&] { shell("ip link del x0"); });
  EXPECT_TRUE(becomes_ready(node));
}

TEST_F(NetworkAgentTest, MissingPluginsAreNamed) {
  const Machines machines(1, false, clock_);
  create_node(machines, 1, ranges_of(1));
  plugins_ = folder_.file("plugins");
  ASSERT_TRUE(files_.make_dirs(plugins_, 0700).ok());
  for (const char* name : {"bridge", "host-local", "portmap", "loopback", "tuning"}) {
    ASSERT_TRUE(files_.write_file_atomic(plugins_ + "/" + name, "", 0700).ok());
  }
  Node& node = start(machines, 1);
  EXPECT_TRUE(holds_within(seconds(20), [&] { return node.agent->report().looked; }));
  EXPECT_EQ(node.agent->state().status().message(),
            "CNI plugins are missing in " + plugins_ +
                ": bandwidth; install the package containernetworking-plugins");
  ASSERT_TRUE(files_.write_file_atomic(plugins_ + "/bandwidth", "", 0700).ok());
  EXPECT_TRUE(becomes_ready(node));
}

TEST_F(NetworkAgentTest, RangesThatAreTakenAreNotUsed) {
  const Machines machines(1, false, clock_);
  create_node(machines, 1, ranges_of(1));
  auto& node = nodes_[1];
  node = std::make_unique<Node>();
  node->cni = folder_.file("cni1");
  ASSERT_TRUE(files_.make_dirs(node->cni, 0700).ok());
  node->agent = std::make_unique<NetworkAgent>(NetworkAgent::Context{
      .client = api_.client(),
      .schema = api::builtin_schema(),
      .clock = clock_,
      .random = random_,
      .files = files_,
      .node = api::NodeName("n1"),
      .cni_folder = node->cni,
      .claim = [](const auto&) { return Status(Reason::kConflict, "taken"); }});
  inside(*machines.at(1).place, [&] { ASSERT_TRUE(node->agent->start().ok()); });
  EXPECT_TRUE(
      holds_within(seconds(20), [&] { return node->agent->state().is(Reason::kConflict); }));
  EXPECT_EQ(config_of(*node), "");
}

}  // namespace
}  // namespace proa::network
