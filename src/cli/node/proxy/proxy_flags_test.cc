#include "cli/node/proxy/proxy_flags.h"

#include <gtest/gtest.h>

namespace proa::cli {
namespace {

Settings settings(std::string mode, std::string addresses) {
  Settings made;
  made.set("proxy-mode", std::move(mode));
  made.set("nodeport-addresses", std::move(addresses));
  return made;
}

TEST(ProxyFlags, ChooseTheModeAndWhereNodePortsAreServed) {
  const auto nftables = read_node_proxy(settings("nftables", ""));
  ASSERT_TRUE(nftables.ok());
  EXPECT_TRUE((*nftables)->primary_node_ports);
  const auto iptables = read_node_proxy(settings("iptables", "192.0.2.0/24"));
  ASSERT_TRUE(iptables.ok());
  EXPECT_EQ((*iptables)->mode, proxy::Mode::kIptables);
  EXPECT_EQ((*iptables)->node_port_ranges.size(), 1U);
  const auto none = read_node_proxy(settings("none", ""));
  ASSERT_TRUE(none.ok());
  EXPECT_FALSE(none->has_value());
}

TEST(ProxyFlags, AreNamedInErrors) {
  const auto read = read_node_proxy(settings("iptables", "nowhere"));
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.status().message(),
            "--nodeport-addresses: \"nowhere\": use \"primary\" or ranges such as 192.0.2.0/24");
}

}  // namespace
}  // namespace proa::cli
