#include "proxy/options.h"

#include <gtest/gtest.h>

namespace proa::proxy {
namespace {

IpAddress address(std::string_view text) { return parse_ip(text).value(); }
IpPrefix range(std::string_view text) { return parse_prefix(text).value(); }

NodeState test_node() {
  return {.zone = "a",
          .addresses = {address("192.0.2.1"), address("192.0.2.2"), address("2001:db8::1")},
          .pod_ranges = {range("10.1.0.0/24")},
          .eligible = true};
}

NodeFacts facts(Mode mode, std::string_view node_ports) {
  ProxyOptions options;
  options.mode = mode;
  EXPECT_TRUE(parse_node_port_addresses(node_ports, options).ok());
  return make_facts(
      options, test_node(),
      {address("127.0.0.1"), address("192.0.2.1"), address("198.51.100.1"), address("::1")});
}

TEST(ProxyOptions, ServeNodePortsAtPrimaryAddressesByNftables) {
  const NodeFacts made = facts(Mode::kNftables, "");
  EXPECT_FALSE(made.all_node_port_addresses);
  EXPECT_EQ(made.node_port_addresses, (std::vector{address("192.0.2.1"), address("2001:db8::1")}));
  EXPECT_FALSE(made.localhost_node_ports);
}

TEST(ProxyOptions, ServeNodePortsEverywhereByIptables) {
  const NodeFacts made = facts(Mode::kIptables, "");
  EXPECT_TRUE(made.all_node_port_addresses);
  EXPECT_TRUE(made.localhost_node_ports);
  EXPECT_TRUE(facts(Mode::kNftables, "0.0.0.0/0").all_node_port_addresses);
}

TEST(ProxyOptions, ServeNodePortsInRanges) {
  const NodeFacts made = facts(Mode::kIptables, "198.51.100.0/24, 127.0.0.0/8");
  EXPECT_FALSE(made.all_node_port_addresses);
  // Without a range of a family, all addresses of it.
  EXPECT_EQ(made.node_port_addresses,
            (std::vector{address("::1"), address("127.0.0.1"), address("198.51.100.1")}));
}

TEST(ProxyOptions, NameAnAddressOnceThatTwoLinksHave) {
  ProxyOptions options;
  ASSERT_TRUE(parse_node_port_addresses("192.0.2.0/24", options).ok());
  const std::vector own = {address("fe80::1"), address("192.0.2.1"), address("fe80::1")};
  EXPECT_EQ(make_facts(options, test_node(), own).node_port_addresses,
            (std::vector{address("192.0.2.1"), address("fe80::1")}));
}

TEST(ProxyOptions, TakePodRangesOfTheNodeUnlessTheClusterHasOne) {
  ProxyOptions options;
  EXPECT_EQ(make_facts(options, test_node(), {}).pod_ranges, std::vector{range("10.1.0.0/24")});
  options.cluster_ranges = {range("10.0.0.0/8")};
  EXPECT_EQ(make_facts(options, test_node(), {}).pod_ranges, std::vector{range("10.0.0.0/8")});
}

TEST(ProxyOptions, RefuseWhatTheyDoNotKnow) {
  ProxyOptions options;
  EXPECT_FALSE(parse_node_port_addresses("192.0.2.1", options).ok());
  EXPECT_FALSE(parse_mode("ipvs").ok());
  EXPECT_EQ(parse_mode("iptables").value(), Mode::kIptables);
}

TEST(ProxyOptions, FindTheLoopbackAddress) {
  const std::vector<IpAddress> own = own_addresses();
  EXPECT_NE(std::find(own.begin(), own.end(), address("127.0.0.1")), own.end());
}

}  // namespace
}  // namespace proa::proxy
