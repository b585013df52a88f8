#include "network/masquerade/masquerade_rules.h"

#include <gtest/gtest.h>

#include "netlink/nft/print.h"
#include "network/masquerade/network_rules.h"
#include "testkit/netlink/namespace_test_base.h"
#include "testkit/netlink/nft_text.h"

namespace proa::network {
namespace {

std::vector<IpPrefix> prefixes(const std::vector<const char*>& texts) {
  std::vector<IpPrefix> all;
  for (const char* text : texts) all.push_back(parse_prefix(text).value());
  return all;
}

Masquerade both() {
  return {.from = prefixes({"10.244.1.0/24", "fd01:0:0:1::/64"}),
          .except = prefixes({"10.244.1.0/24", "10.244.2.0/24", "fd01:0:0:1::/64",
                              "fd01:0:0:2::/64", "192.168.0.0/16", "192.168.7.0/24"})};
}

TEST(MasqueradeTable, IsOneRuleWithExceptionsAndACheckOfSources) {
  EXPECT_EQ(netlink::nft::print(masquerade_table({}, both(), false)),
            "table ip proa-network {\n"
            "\tset no-masquerade {\n"
            "\t\ttype ipv4_addr\n"
            "\t\tflags interval\n"
            "\t\telements = { 10.244.1.0/24,\n"
            "\t\t\t     10.244.2.0/24,\n"
            "\t\t\t     192.168.0.0/16,\n"
            "\t\t\t     224.0.0.0/4 }\n"
            "\t}\n"
            "\n"
            "\tchain postrouting {\n"
            "\t\ttype nat hook postrouting priority srcnat + 10; policy accept;\n"
            "\t\tip saddr 10.244.1.0/24 ip daddr != @no-masquerade masquerade fully-random\n"
            "\t}\n"
            "\n"
            "\tchain prerouting {\n"
            "\t\ttype filter hook prerouting priority raw; policy accept;\n"
            "\t\tiifname \"proa0\" ip saddr != 10.244.1.0/24 drop\n"
            "\t\tiifname \"proa0\" ip daddr 127.0.0.0/8 drop\n"
            "\t\tiifname != \"proa0\" iifname != \"lo\" ip saddr 10.244.1.0/24 drop\n"
            "\t}\n"
            "}\n");
}

class MasqueradeRulesTest : public testkit::NamespaceTest {
 protected:
  // IPv4 first: a table that is replaced becomes the last one.
  std::string listed() {
    return testkit::sorted_listing(shell("nft list ruleset ip; nft list ruleset ip6"));
  }
  static std::string printed(const Masquerade& wanted, const NetworkOptions& options = {}) {
    return netlink::nft::print(masquerade_table(options, wanted, false)) +
           netlink::nft::print(masquerade_table(options, wanted, true));
  }
};

TEST_F(MasqueradeRulesTest, FollowWhatIsWanted) {
  inside([&] {
    MasqueradeRules rules = MasqueradeRules::open({}, clock_).value();
    Masquerade wanted = both();
    ASSERT_TRUE(rules.set(wanted).ok());
    EXPECT_EQ(listed(), printed(wanted));
    // Nodes come and go; a larger range hides smaller ones for a while.
    for (const char* more : {"10.244.3.0/24", "10.244.0.0/16", "fd01::/16", "255.0.0.0/8"}) {
      wanted.except.push_back(parse_prefix(more).value());
      ASSERT_TRUE(rules.set(wanted).ok());
      EXPECT_EQ(listed(), printed(wanted)) << more;
    }
    wanted = both();
    ASSERT_TRUE(rules.set(wanted).ok());
    EXPECT_EQ(listed(), printed(wanted));
    EXPECT_FALSE(rules.disturbed());
    // The range of the pods changes; a family ends.
    wanted.from = prefixes({"10.244.9.0/24"});
    ASSERT_TRUE(rules.set(wanted).ok());
    EXPECT_EQ(listed(), netlink::nft::print(masquerade_table({}, wanted, false)));
    ASSERT_TRUE(rules.remove().ok());
    EXPECT_EQ(listed(), "");
  });
}

std::optional<TunnelGuard> guard(const std::vector<const char*>& senders, bool v6 = false) {
  TunnelGuard made{.port = 4789, .id = 244, .v6 = v6};
  for (const char* text : senders) made.senders.push_back(parse_ip(text).value());
  return made;
}

TEST(MasqueradeTable, HasTheGuardOfTheTunnel) {
  const std::string text =
      netlink::nft::print(masquerade_table({}, both(), false, guard({"10.0.0.2"})));
  EXPECT_NE(text.find("\tset tunnel-senders {\n"
                      "\t\ttype ipv4_addr\n"
                      "\t\telements = { 10.0.0.2 }\n"
                      "\t}\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("\tchain input {\n"
                      "\t\ttype filter hook input priority filter; policy accept;\n"
                      "\t\tudp dport 4789 @th,96,24 0xf4 ip saddr != @tunnel-senders drop\n"
                      "\t\tudp dport 4789 @th,96,24 0xf4 ct status dnat drop\n"
                      "\t}\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("\tchain forward {\n"
                      "\t\ttype filter hook forward priority filter; policy accept;\n"
                      "\t\tiifname \"proa0\" udp dport 4789 @th,96,24 0xf4 drop\n"
                      "\t\tudp dport 4789 @th,96,24 0xf4 ct status dnat drop\n"
                      "\t}\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(masquerade_table({}, both(), true, guard({"10.0.0.2"})).chains.size(), 2u);
}

TEST_F(MasqueradeRulesTest, FollowTheSendersOfTheTunnel) {
  inside([&] {
    MasqueradeRules rules = MasqueradeRules::open({}, clock_).value();
    // One family masquerades, the other one has the tunnel.
    Masquerade wanted = both();
    wanted.from = prefixes({"10.244.1.0/24"});
    for (const bool v6 : {false, true}) {
      const char* first = v6 ? "fd00::2" : "10.0.0.2";
      const char* second = v6 ? "fd00::3" : "10.0.0.3";
      for (const auto& next : {guard({first}, v6), guard({first, second}, v6), guard({second}, v6),
                               guard({}, v6), std::optional<TunnelGuard>()}) {
        ASSERT_TRUE(rules.set(wanted, next).ok());
        std::string expected = netlink::nft::print(masquerade_table({}, wanted, false, next));
        const auto other = masquerade_table({}, wanted, true, next);
        if (!other.chains.empty()) expected += netlink::nft::print(other);
        EXPECT_EQ(listed(), expected);
      }
    }
    shell("nft flush ruleset");
    EXPECT_TRUE(rules.disturbed());
    ASSERT_TRUE(rules.set(wanted, guard({"10.0.0.2"})).ok());
    EXPECT_NE(listed().find("tunnel-senders drop"), std::string::npos);
  });
}

TEST_F(MasqueradeRulesTest, ComeBackWhenOthersChangeThem) {
  inside([&] {
    MasqueradeRules rules = MasqueradeRules::open({}, clock_).value();
    ASSERT_TRUE(rules.set(both()).ok());
    for (const char* harm :
         {"nft delete table ip proa-network", "nft flush ruleset",
          "nft flush chain ip6 proa-network postrouting",
          "nft add element ip proa-network no-masquerade '{ 1.0.0.0/8 }'",
          "nft delete element ip proa-network no-masquerade '{ 10.244.2.0/24 }'"}) {
      shell(harm);
      EXPECT_TRUE(rules.disturbed()) << harm;
      ASSERT_TRUE(rules.set(both()).ok());
      EXPECT_EQ(listed(), printed(both())) << harm;
      EXPECT_FALSE(rules.disturbed());
    }
    // Noticed by the refusal alone.
    shell("nft delete table ip proa-network");
    Masquerade more = both();
    more.except.push_back(parse_prefix("10.244.7.0/24").value());
    ASSERT_TRUE(rules.set(more).ok());
    EXPECT_EQ(testkit::sorted_listing(shell("nft list table ip proa-network")),
              netlink::nft::print(masquerade_table({}, more, false)));
  });
}

TEST_F(MasqueradeRulesTest, OfOlderReleasesAreRemoved) {
  inside([&] {
    ASSERT_TRUE(set_masquerade("proa0", both(), false, clock_).ok());
    ASSERT_TRUE(set_masquerade("proa0", both(), true, clock_).ok());
    ASSERT_TRUE(set_masquerade("other", both(), false, clock_).ok());
    ASSERT_NE(shell("iptables-save -t nat").find("proa0-out"), std::string::npos);
    MasqueradeRules rules = MasqueradeRules::open({}, clock_).value();
    ASSERT_TRUE(rules.set(both()).ok());
    const std::string left = shell("iptables-save -t nat; ip6tables-save -t nat");
    EXPECT_EQ(left.find("proa0-out"), std::string::npos) << left;
    EXPECT_NE(left.find("-A POSTROUTING -j other-out"), std::string::npos) << left;
  });
}

TEST_F(MasqueradeRulesTest, OfNodesOnOneMachineHaveTheirOwnNames) {
  inside([&] {
    NetworkOptions second;
    second.bridge = "proa12345678";
    MasqueradeRules one = MasqueradeRules::open({}, clock_).value();
    MasqueradeRules other = MasqueradeRules::open(second, clock_).value();
    ASSERT_TRUE(one.set(both()).ok());
    ASSERT_TRUE(other.set(both()).ok());
    ASSERT_TRUE(one.remove().ok());
    EXPECT_EQ(listed(), printed(both(), second));
  });
}

}  // namespace
}  // namespace proa::network
