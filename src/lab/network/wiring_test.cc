#include "lab/network/wiring.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "netlink/route/routing.h"

namespace proa::lab {
namespace {

// Two network namespaces: a switch and a machine.
class WiringTest : public testing::Test {
 protected:
  void SetUp() override {
    auto one = netlink::NetworkNamespace::create();
    auto other = netlink::NetworkNamespace::create();
    if (!one.ok() || !other.ok()) GTEST_SKIP() << "no network namespace can be made";
    switch_ = std::make_unique<netlink::NetworkNamespace>(std::move(*one));
    machine_ = std::make_unique<netlink::NetworkNamespace>(std::move(*other));
  }

  void wire(const Plan& plan) {
    const auto made = switch_->run([&] { return wire_switch(plan, clock_); });
    ASSERT_TRUE(made.ok()) << made.status().message();
    plug_in(plan);
  }
  void plug_in(const Plan& plan) {
    const auto made =
        machine_->run([&] { return wire_machine(**plan.find("node-1"), *switch_, clock_); });
    ASSERT_TRUE(made.ok()) << made.status().message();
  }
  // Where packets of the machine to an address go: the gateway, or "direct".
  std::string way_to(const char* address) {
    std::string answer;
    const auto asked = machine_->run([&]() -> Result<void> {
      auto routing = TRY(netlink::Routing::open(clock_));
      const auto way = TRY(routing.way_to(*parse_ip(address)));
      answer = way.gateway ? way.gateway->str() : "direct";
      return {};
    });
    return asked.ok() ? answer : asked.status().message();
  }
  std::vector<std::string> ports() {
    std::vector<std::string> names;
    EXPECT_TRUE(switch_->run([&]() -> Result<void> {
      auto routing = TRY(netlink::Routing::open(clock_));
      for (const netlink::Link& link : TRY(routing.links())) {
        if (!link.loopback) names.push_back(link.name + (link.master != 0 ? " of a bridge" : ""));
      }
      return {};
    }));
    std::ranges::sort(names);
    return names;
  }

  SystemClock clock_;
  std::unique_ptr<netlink::NetworkNamespace> switch_;
  std::unique_ptr<netlink::NetworkNamespace> machine_;
};

TEST_F(WiringTest, ConnectsAMachineToTheBridge) {
  wire(make_plan({.name = "a", .nodes = 2, .families = Families::kDual}));
  EXPECT_EQ(ports(), (std::vector<std::string>{"br0", "node-1 of a bridge"}));
  EXPECT_EQ(way_to("172.30.0.12"), "direct");
  EXPECT_EQ(way_to("172.30.255.2"), "172.30.0.1");
  EXPECT_EQ(way_to("fd30:6c61:62::12"), "direct");
  EXPECT_EQ(way_to("fd30:6c61:62:255::2"), "fd30:6c61:62::1");
}

TEST_F(WiringTest, ConnectsAMachineToTheRouter) {
  wire(make_plan({.name = "a", .nodes = 2, .topology = Topology::kRouted}));
  EXPECT_EQ(ports(), (std::vector<std::string>{"node-1"}));
  EXPECT_EQ(way_to("172.30.1.1"), "direct");
  EXPECT_EQ(way_to("172.30.2.12"), "172.30.1.1");
}

TEST_F(WiringTest, ReplacesThePortOfAMachineThatComesBack) {
  const Plan plan = make_plan({.name = "a", .nodes = 2});
  wire(plan);
  auto again = netlink::NetworkNamespace::create();
  ASSERT_TRUE(again.ok());
  *machine_ = std::move(*again);
  plug_in(plan);
  EXPECT_EQ(ports(), (std::vector<std::string>{"br0", "node-1 of a bridge"}));
  EXPECT_EQ(way_to("172.30.0.12"), "direct");
}

}  // namespace
}  // namespace proa::lab
