#include "netlink/nft/forward_chains.h"

#include <gtest/gtest.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netlink.h>

#include "testkit/netlink/namespace_test_base.h"

namespace proa::netlink::nft {
namespace {

class ForwardChainsTest : public testkit::NamespaceTest {
 protected:
  // "inet filter forward drops, ip t f", in the kernel's order.
  std::string listed() {
    Socket socket = Socket::open(NETLINK_NETFILTER, clock_).value();
    chains_ = list_forward_chains(socket, soon()).value();
    std::string text;
    for (const ForwardChain& chain : chains_) {
      text += (text.empty() ? "" : ", ") + chain.str() + (chain.drops ? " drops" : "");
    }
    return text;
  }

  std::vector<ForwardChain> chains_;
};

TEST_F(ForwardChainsTest, AreThoseOfAllTablesThatIpPacketsPass) {
  inside([&] {
    EXPECT_EQ(listed(), "");
    shell(
        "nft 'table inet a { chain f { type filter hook forward priority 0; policy drop; }; "
        "chain i { type filter hook input priority 0; policy drop; }; chain other { drop; }; }'; "
        "nft 'table ip6 b { chain f { type filter hook forward priority 5; }; }'; "
        "nft 'table bridge c { chain f { type filter hook forward priority 0; policy drop; }; }'; "
        "nft 'table arp d { chain f { type filter hook input priority 0; policy drop; }; }'");
    EXPECT_EQ(listed(), "inet a f drops, inet a i drops, ip6 b f, bridge c f drops");
    EXPECT_TRUE(!chains_[0].input && chains_[1].input && !chains_[2].input && !chains_[3].input);
    EXPECT_TRUE(chains_[0].is_for(false) && chains_[0].is_for(true));
    EXPECT_TRUE(!chains_[2].is_for(false) && chains_[2].is_for(true));
  });
}

TEST_F(ForwardChainsTest, AreAtAllHooksOfForwardedPackets) {
  inside([&] {
    shell(
        "ip link add proa0 type bridge; "
        "nft 'table ip a { chain p { type filter hook prerouting priority -300; policy drop; }; "
        "chain q { type filter hook postrouting priority 0; policy drop; }; "
        "chain n { type nat hook prerouting priority 0; }; "
        "chain o { type filter hook output priority 0; policy drop; }; }'; "
        "nft 'table netdev b { chain i { type filter hook ingress device proa0 priority 0; "
        "drop; }; }'");
    EXPECT_EQ(listed(), "ip a p drops, ip a q drops, netdev b i drops");
    EXPECT_EQ(chains_[0].devices, std::vector<std::string>());
    EXPECT_EQ(chains_[2].devices, std::vector<std::string>{"proa0"});
  });
}

TEST_F(ForwardChainsTest, RulesForAllPacketsLeadOn) {
  const auto drops = [&](const std::string& rules) {
    shell(
        "nft flush ruleset; nft 'table inet t { chain rest { ip saddr 10.0.0.1 accept; counter "
        "drop; }; chain pass { accept; }; chain some { ip saddr 10.0.0.1 drop; return; drop; }; "
        "chain way { jump some; goto rest; }; "
        "chain f { type filter hook forward priority 0; " +
        rules + " }; }'");
    return listed() == "inet t f drops";
  };
  inside([&] {
    EXPECT_TRUE(drops("ip daddr 10.0.0.2 accept; jump rest;"));
    EXPECT_TRUE(drops("jump some; counter jump way; accept;"));
    EXPECT_EQ(chains_[0].leads_to, (std::vector<std::string>{"some", "way", "rest"}));
    EXPECT_TRUE(drops("goto rest; accept;"));
    EXPECT_FALSE(drops("ip daddr 10.0.0.2 jump rest;"));
    EXPECT_FALSE(drops("jump pass; drop;"));
    EXPECT_FALSE(drops("goto some; drop;"));
    EXPECT_TRUE(drops("policy drop; goto some;"));
    EXPECT_FALSE(drops("policy drop; ip daddr 10.0.0.2 drop; accept;"));
  });
}

TEST_F(ForwardChainsTest, RulesForAllPacketsCount) {
  inside([&] {
    shell(
        "nft 'table inet a { chain f { type filter hook forward priority 0; ct state invalid drop; "
        "counter log reject with icmpx admin-prohibited; }; }'; "
        "nft 'table ip b { chain f { type filter hook forward priority 0; drop; accept; }; }'; "
        "nft 'table ip c { chain f { type filter hook forward priority 0; ip saddr 10.0.0.0/8 "
        "drop; }; }'; "
        "nft 'table ip d { chain f { type filter hook forward priority 0; drop; }; }'");
    EXPECT_EQ(listed(), "inet a f drops, ip b f drops, ip c f, ip d f drops");
  });
}

TEST_F(ForwardChainsTest, ChangesAreRecognised) {
  inside([&] {
    Socket listener = Socket::listen(NETLINK_NETFILTER, {NFNLGRP_NFTABLES}, clock_).value();
    const auto concerned = [&](const std::string& command) {
      shell(command);
      bool seen = false;
      const auto look = [&](const Message& message) -> Result<void> {
        seen = seen || concerns_forwarding(message, chains_) || deletes_from_chain(message, "own");
        return {};
      };
      EXPECT_TRUE(listener.receive(Until::after(clock_, Duration(0)), look).ok());
      listed();
      return seen;
    };
    EXPECT_FALSE(concerned("nft add table inet t"));
    EXPECT_FALSE(concerned("nft 'add chain inet t o { type filter hook output priority 0; }'"));
    EXPECT_TRUE(concerned("nft 'add chain inet t i { type filter hook input priority 0; }'"));
    EXPECT_TRUE(concerned("nft add rule inet t i accept; nft delete chain inet t i"));
    EXPECT_TRUE(concerned("nft 'add chain inet t f { type filter hook forward priority 0; }'"));
    EXPECT_TRUE(concerned("nft 'chain inet t f { policy drop; }'"));
    EXPECT_FALSE(concerned("nft add rule inet t o accept"));
    EXPECT_TRUE(concerned("nft add rule inet t f accept"));
    EXPECT_TRUE(concerned("nft flush chain inet t f"));
    EXPECT_FALSE(concerned("nft add chain inet t own"));
    EXPECT_FALSE(concerned("nft add rule inet t own accept"));
    EXPECT_TRUE(concerned("nft flush chain inet t own"));
    EXPECT_TRUE(concerned("nft delete chain inet t own"));
    EXPECT_TRUE(concerned("nft add chain inet t rest; nft add rule inet t f jump rest"));
    EXPECT_TRUE(concerned("nft add rule inet t rest drop"));
    EXPECT_TRUE(concerned("nft flush chain inet t f; nft delete chain inet t rest"));
    EXPECT_TRUE(concerned("nft delete chain inet t f"));
    EXPECT_FALSE(concerned("nft delete table inet t"));
    EXPECT_TRUE(concerned("iptables-nft -P FORWARD DROP"));
    EXPECT_TRUE(concerned("nft flush ruleset"));
  });
}

}  // namespace
}  // namespace proa::netlink::nft
