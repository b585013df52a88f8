#include "network/agent.h"

#include <fmt/format.h>

#include <fstream>

#include "testkit/network/agent_test_base.h"

namespace proa::network {
namespace {

using std::chrono::seconds;
using testkit::holds_within;
using testkit::Machines;

constexpr const char* kUsersConfig = R"({"name":"mine","plugins":[{"type":"bridge"}]})";

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
  const auto in_cluster = [&](const std::string& address) {
    return std::ranges::any_of(node.agent->report().cluster, [&](const IpPrefix& range) {
      return range.contains(parse_ip(address).value());
    });
  };
  EXPECT_TRUE(holds_within(
      seconds(20), [&] { return in_cluster("10.244.2.7") && in_cluster(machines.at(2).address); }));
  EXPECT_FALSE(in_cluster(Machines::kOutside));
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
