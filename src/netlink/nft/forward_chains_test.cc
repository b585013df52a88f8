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
    EXPECT_EQ(listed(), "inet a f drops, ip6 b f, bridge c f drops");
    EXPECT_TRUE(chains_[0].is_for(false) && chains_[0].is_for(true));
    EXPECT_TRUE(!chains_[1].is_for(false) && chains_[1].is_for(true));
  });
}

TEST_F(ForwardChainsTest, LastRulesForAllPacketsCount) {
  inside([&] {
    shell(
        "nft 'table inet a { chain f { type filter hook forward priority 0; ct state invalid drop; "
        "counter log reject with icmpx admin-prohibited; }; }'; "
        "nft 'table ip b { chain f { type filter hook forward priority 0; drop; accept; }; }'; "
        "nft 'table ip c { chain f { type filter hook forward priority 0; ip saddr 10.0.0.0/8 "
        "drop; }; }'; "
        "nft 'table ip d { chain f { type filter hook forward priority 0; drop; }; }'");
    EXPECT_EQ(listed(), "inet a f drops, ip b f, ip c f, ip d f drops");
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
    EXPECT_FALSE(concerned("nft 'add chain inet t i { type filter hook input priority 0; }'"));
    EXPECT_TRUE(concerned("nft 'add chain inet t f { type filter hook forward priority 0; }'"));
    EXPECT_TRUE(concerned("nft 'chain inet t f { policy drop; }'"));
    EXPECT_FALSE(concerned("nft add rule inet t i accept"));
    EXPECT_TRUE(concerned("nft add rule inet t f accept"));
    EXPECT_TRUE(concerned("nft flush chain inet t f"));
    EXPECT_FALSE(concerned("nft add chain inet t own"));
    EXPECT_FALSE(concerned("nft add rule inet t own accept"));
    EXPECT_TRUE(concerned("nft flush chain inet t own"));
    EXPECT_TRUE(concerned("nft delete chain inet t own"));
    EXPECT_TRUE(concerned("nft delete chain inet t f"));
    EXPECT_FALSE(concerned("nft delete table inet t"));
    EXPECT_TRUE(concerned("iptables-nft -P FORWARD DROP"));
    EXPECT_TRUE(concerned("nft flush ruleset"));
  });
}

}  // namespace
}  // namespace proa::netlink::nft
