#include "network/forward/forward_rules.h"

#include <gtest/gtest.h>

#include "testkit/netlink/namespace_test_base.h"

namespace proa::network {
namespace {

Forwarding forwarding(const std::vector<const char*>& more = {}) {
  Forwarding wanted;
  for (const char* text : {"10.244.1.0/24", "fd01:0:0:1::/64"}) {
    wanted.own.push_back(parse_prefix(text).value());
  }
  wanted.pods = wanted.own;
  for (const char* text : more) wanted.pods.push_back(parse_prefix(text).value());
  return wanted;
}

class ForwardRulesTest : public testkit::NamespaceTest {
 protected:
  // Whether a family's FORWARD leads to our chain, which has these rules.
  bool has(const std::string& program, const std::string& range) {
    const std::string saved = shell(program + "-save -t filter 2>/dev/null");
    return saved.find("-A FORWARD -j proa0-forward\n") != std::string::npos &&
           saved.find("-A proa0-forward -d " + range + " -j ACCEPT\n") != std::string::npos;
  }
  // Without comments and counters.
  std::string table(const std::string& program) {
    return shell(program + "-save -t filter | grep -v '^#' | sed 's/ \\[.*//'");
  }
  static constexpr const char* kRange = "10.244.1.0/24";
  static constexpr const char* kRange6 = "fd01:0:0:1::/64";
};

TEST_F(ForwardRulesTest, NothingIsMadeWhereNobodyUsesIptables) {
  inside([&] {
    ForwardRules rules = ForwardRules::open({}, clock_).value();
    EXPECT_TRUE(rules.set(forwarding()).value().empty());
    EXPECT_TRUE(rules.remove().ok());
    EXPECT_EQ(shell("nft list ruleset; cat /proc/thread-self/net/ip*_tables_names"), "");
  });
}

TEST_F(ForwardRulesTest, OfBothKindsOfIptablesFollowWhatIsWanted) {
  for (const std::string kind : {"nft", "legacy"}) {
    SCOPED_TRACE(kind);
    const auto place = make_namespace();
    inside(*place, [&] {
      const std::string v4 = "iptables-" + kind;
      const std::string v6 = "ip6tables-" + kind;
      shell(v4 + " -P FORWARD DROP");
      const std::string before = table(v4);
      ForwardRules rules = ForwardRules::open({}, clock_).value();
      EXPECT_EQ(rules.set(forwarding()).value(), std::vector<std::string>());
      EXPECT_TRUE(has(v4, kRange));
      EXPECT_FALSE(has(v6, kRange6));
      shell(v6 + " -P FORWARD DROP");
      EXPECT_EQ(rules.disturbed(), kind == "nft");
      EXPECT_EQ(rules.set(forwarding({"10.244.2.0/24"})).value(), std::vector<std::string>());
      EXPECT_TRUE(has(v4, "10.244.2.0/24"));
      EXPECT_TRUE(has(v6, kRange6));
      // A family ends.
      Forwarding wanted = forwarding();
      std::erase_if(wanted.own, [](const IpPrefix& one) { return one.v6; });
      EXPECT_EQ(rules.set(wanted).value(), std::vector<std::string>());
      EXPECT_TRUE(has(v4, kRange));
      EXPECT_FALSE(has(v4, "10.244.2.0/24"));
      EXPECT_EQ(shell(v6 + "-save -t filter").find("proa0"), std::string::npos);
      ASSERT_TRUE(rules.remove().ok());
      EXPECT_EQ(table(v4), before);
    });
  }
}

TEST_F(ForwardRulesTest, ComeBackWhenOthersRemoveThem) {
  inside([&] {
    shell("iptables-nft -P FORWARD DROP; ip6tables-nft -P FORWARD DROP");
    ForwardRules rules = ForwardRules::open({}, clock_).value();
    ASSERT_TRUE(rules.set(forwarding()).ok());
    for (const char* harm :
         {"iptables-nft -D FORWARD -j proa0-forward", "iptables-nft -F", "ip6tables-nft -F",
          "iptables-nft -F proa0-forward", "iptables-nft -D proa0-forward 1",
          "iptables-nft -I FORWARD -j DROP",
          "printf '*filter\\n:FORWARD DROP [0:0]\\nCOMMIT\\n' | iptables-nft-restore",
          "nft flush ruleset; iptables-nft -P FORWARD DROP; ip6tables-nft -P FORWARD DROP"}) {
      SCOPED_TRACE(harm);
      // Our own programs are heard, too: once more there is nothing to do.
      rules.disturbed();
      ASSERT_TRUE(rules.set(forwarding()).ok());
      EXPECT_FALSE(rules.disturbed());
      shell(harm);
      EXPECT_TRUE(rules.disturbed());
      ASSERT_TRUE(rules.set(forwarding()).ok());
      EXPECT_TRUE(has("iptables-nft", kRange));
      EXPECT_TRUE(has("ip6tables-nft", kRange6));
    }
    // Rules of others elsewhere do not concern us.
    rules.disturbed();
    shell(
        "iptables-nft -N DOCKER; iptables-nft -A DOCKER -j ACCEPT; iptables-nft -A OUTPUT -j DROP");
    EXPECT_FALSE(rules.disturbed());
  });
}

TEST_F(ForwardRulesTest, FirewallsThatDropInOtherTablesAreReported) {
  inside([&] {
    shell(
        "nft 'table inet filter { chain forward { type filter hook forward priority 0; policy "
        "drop; }; }'; iptables-nft -P FORWARD DROP");
    ForwardRules rules = ForwardRules::open({}, clock_).value();
    const std::vector<std::string> expected = {
        "the firewall drops forwarded packets unless a rule accepts them (nf_tables chain inet "
        "filter forward); have it accept packets from and to the pod ranges of all nodes, by "
        "proa0, "
        "proa0v and the links between nodes"};
    EXPECT_EQ(rules.set(forwarding()).value(), expected);
    EXPECT_EQ(rules.set(forwarding()).value(), expected);
    shell("nft delete table inet filter");
    EXPECT_TRUE(rules.disturbed());
    EXPECT_EQ(rules.set(forwarding()).value(), std::vector<std::string>());
  });
}

TEST_F(ForwardRulesTest, PodsReachTheDnsOfTheirNode) {
  Forwarding wanted = forwarding();
  wanted.dns = {parse_ip("10.96.0.10").value(), parse_ip("fd02::a").value()};
  const auto accepts = [&](const std::string& program, const std::string& to) {
    const std::string saved = shell(program + "-save -t filter 2>/dev/null");
    return saved.find("-A INPUT -j proa0-input\n") != std::string::npos &&
           saved.find(" -d " + to + " -i proa0 -p udp -m udp --dport 53 -j ACCEPT\n") !=
               std::string::npos &&
           saved.find(" -d " + to + " -i proa0 -p tcp -m tcp --dport 53 -j ACCEPT\n") !=
               std::string::npos;
  };
  for (const std::string kind : {"nft", "legacy"}) {
    SCOPED_TRACE(kind);
    const auto place = make_namespace();
    inside(*place, [&] {
      const std::string v4 = "iptables-" + kind;
      const std::string v6 = "ip6tables-" + kind;
      shell(v4 + " -P INPUT DROP; " + v6 + " -P INPUT DROP");
      const std::string before = table(v4);
      ForwardRules rules = ForwardRules::open({}, clock_).value();
      EXPECT_EQ(rules.set(wanted).value(), std::vector<std::string>());
      EXPECT_TRUE(accepts(v4, "10.96.0.10/32"));
      EXPECT_TRUE(accepts(v6, "fd02::a/128"));
      // Written once: otherwise our own programs would be heard for ever.
      rules.disturbed();
      ASSERT_TRUE(rules.set(wanted).ok());
      EXPECT_FALSE(rules.disturbed());
      for (const char* harm : {" -F", " -F proa0-input", " -D INPUT -j proa0-input"}) {
        shell(v4 + harm);
        EXPECT_EQ(rules.disturbed(), kind == "nft") << harm;
        ASSERT_TRUE(rules.set(wanted).ok());
        EXPECT_TRUE(accepts(v4, "10.96.0.10/32")) << harm;
      }
      // DNS is another one's now.
      ASSERT_TRUE(rules.set(forwarding()).ok());
      EXPECT_EQ(shell(v4 + "-save; " + v6 + "-save").find("proa0-input"), std::string::npos);
      ASSERT_TRUE(rules.set(wanted).ok());
      ASSERT_TRUE(rules.remove().ok());
      EXPECT_EQ(table(v4), before);
    });
  }
}

TEST_F(ForwardRulesTest, FirewallsThatDropQueriesOfPodsAreReported) {
  inside([&] {
    shell(
        "nft 'table inet filter { chain input { type filter hook input priority 0; policy drop; "
        "tcp dport 22 accept; }; }'");
    ForwardRules rules = ForwardRules::open({}, clock_).value();
    EXPECT_EQ(rules.set(forwarding()).value(), std::vector<std::string>());
    Forwarding wanted = forwarding();
    wanted.dns = {parse_ip("10.96.0.10").value()};
    EXPECT_EQ(rules.set(wanted).value(),
              std::vector<std::string>{
                  "the firewall drops packets to this machine unless a rule accepts them "
                  "(nf_tables chain inet filter input), so pods may have no DNS; have it accept "
                  "port 53 (UDP and TCP) at 10.96.0.10 by proa0"});
    shell("nft add rule inet filter input accept");
    EXPECT_TRUE(rules.disturbed());
    EXPECT_EQ(rules.set(wanted).value(), std::vector<std::string>());
  });
}

TEST_F(ForwardRulesTest, FirewallsAtTheLinkOfPodsAreReported) {
  inside([&] {
    shell("ip link add proa0 type bridge; ip link add eth7 type bridge");
    ForwardRules rules = ForwardRules::open({}, clock_).value();
    const auto reported = [&](const std::string& device) {
      shell("nft flush ruleset; nft 'table netdev t { chain c { type filter hook ingress device " +
            device + " priority 0; policy drop; }; }'");
      EXPECT_TRUE(rules.disturbed());
      const auto found = rules.set(forwarding()).value();
      return found.size() == 1 && found[0].find("netdev t c") != std::string::npos;
    };
    EXPECT_TRUE(reported("proa0"));
    EXPECT_FALSE(reported("eth7"));
  });
}

}  // namespace
}  // namespace proa::network
