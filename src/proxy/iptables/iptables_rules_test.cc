#include "proxy/iptables/iptables_rules.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <functional>
#include <thread>

#include "base/process/spawn.h"
#include "base/random.h"
#include "base/strings.h"
#include "proxy/settings.h"
#include "testkit/proxy/service_script.h"

namespace proa::proxy::iptables {
namespace {

NodeFacts test_node() {
  NodeFacts node{.name = "here", .zone = "a"};
  node.addresses = {parse_ip("192.0.2.10").value()};
  node.pod_ranges = {parse_prefix("10.1.0.0/16").value(), parse_prefix("fd01::/48").value()};
  return node;
}

// Runs the test in a network namespace of its own.
class IptablesRulesTest : public ::testing::Test {
 protected:
  void apart(const std::function<void()>& test) {
    if (!check_programs().ok()) GTEST_SKIP() << "needs iptables";
    bool permitted = true;
    std::thread thread([&] {
      permitted = ::unshare(CLONE_NEWNET) == 0;
      if (permitted) test();
    });
    thread.join();
    if (!permitted) GTEST_SKIP() << "needs the right to make network namespaces";
  }

  std::string run(std::vector<std::string> words) {
    words[0] = find_program(words[0]).value();
    const Result<Outcome> outcome =
        run_to_end(words, "", clock_, std::chrono::minutes(1), size_t{16} << 20);
    EXPECT_TRUE(outcome.ok());
    return outcome.ok() ? outcome->output : "";
  }

  // Rules and chains of both families, sorted: among Services there is no order.
  std::string listing() {
    std::vector<std::string> lines;
    for (const char* program : {"iptables-save", "ip6tables-save"}) {
      const std::string text = run({program});
      for (const std::string_view line : split(text, '\n')) {
        if (line.starts_with("-A") || line.starts_with(":KUBE")) {
          lines.push_back(fmt::format("{} {}", program, line.substr(0, line.find(" ["))));
        }
      }
    }
    std::sort(lines.begin(), lines.end());
    return join(lines, "\n");
  }

  // Rules in our chains, as the kernel has them.
  int64_t written_into(Family family, std::string_view table) {
    const std::string text =
        run({family == Family::kV4 ? "iptables-save" : "ip6tables-save", "-t", std::string(table)});
    const std::vector<std::string_view> lines = split(text, '\n');
    return std::count_if(lines.begin(), lines.end(),
                         [](std::string_view line) { return line.starts_with("-A KUBE-"); });
  }

  SystemClock clock_;
};

// A Service with any of the properties that rules depend on.
std::string random_service(Random& random, int number) {
  const bool dual = random.below(2) == 0;
  const char* const types[] = {"ClusterIP", "NodePort", "LoadBalancer"};
  const char* const policies[] = {"Cluster", "Local"};
  const char* const protocols[] = {"TCP", "UDP", "SCTP"};
  const char* protocol = protocols[random.below(3)];
  const size_t type = random.below(3);
  std::string text = fmt::format(
      "{{metadata: {{name: web{0}, namespace: ns}}, spec: {{type: {1}, clusterIP: 10.0.0.{0}, "
      "clusterIPs: [10.0.0.{0}{2}], ipFamilies: [IPv4{3}], sessionAffinity: {4}, "
      "externalTrafficPolicy: {5}, internalTrafficPolicy: {6}, externalIPs: [{7}], "
      "loadBalancerSourceRanges: [{8}], ports: [{{name: p, port: 80, protocol: {9}, nodePort: "
      "{10}}}]}}, status: {{loadBalancer: {{ingress: [{{ip: 203.0.113.{0}}}]}}}}}}\n",
      number, types[type], dual ? fmt::format(", \"fd00::{}\"", number) : "", dual ? ", IPv6" : "",
      random.below(3) == 0 ? "ClientIP" : "None", policies[random.below(2)],
      policies[random.below(2)], random.below(3) == 0 ? fmt::format("192.0.2.{}", number) : "",
      random.below(3) == 0 ? "192.0.2.0/24" : "", protocol, type == 0 ? 0 : 30000 + number);
  for (const bool v6 : {false, true}) {
    std::string endpoints;
    const size_t count = random.below(4);
    for (size_t i = 0; i < count; ++i) {
      endpoints +=
          fmt::format("{{addresses: [\"{}{}\"], nodeName: {}}},", v6 ? "fd01::" : "10.1.0.",
                      random.below(9) + 1, random.below(2) == 0 ? "here" : "there");
    }
    text += fmt::format(
        "---\n{{metadata: {{name: web-{0}}}, addressType: {0}, ports: [{{name: p, port: 8080, "
        "protocol: {1}}}], endpoints: [{2}]}}\n",
        v6 ? "IPv6" : "IPv4", protocol, endpoints);
  }
  return text;
}

TEST_F(IptablesRulesTest, ChangesLeadToTheSameRulesAsAFreshStart) {
  apart([this] {
    SeededRandom random(7);
    const NodeFacts node = test_node();
    const auto rules = make_rules(clock_);
    std::map<int, std::vector<ServicePortPtr>> services;
    ASSERT_TRUE(rules->replace(node, {}).ok());
    for (int step = 0; step < 12; ++step) {
      std::vector<Change> changes;
      for (int i = 0; i < 4; ++i) {
        const int number = static_cast<int>(random.below(8)) + 1;
        std::vector<ServicePortPtr>& ports = services[number];
        const bool changed = std::any_of(changes.begin(), changes.end(), [&](const Change& change) {
          const ServicePortPtr& port = change.after == nullptr ? change.before : change.after;
          return port->name.service == fmt::format("web{}", number);
        });
        if (changed) continue;
        std::vector<ServicePortPtr> wanted;
        if (random.below(4) != 0) wanted = testkit::ports_of(random_service(random, number), node);
        for (const Family family : {Family::kV4, Family::kV6}) {
          Change change;
          for (const ServicePortPtr& port : ports) {
            if (port->family != family) continue;
            if (change.before == nullptr) change.before = port;
          }
          for (const ServicePortPtr& port : wanted) {
            if (port->family == family) change.after = port;
          }
          // Another protocol is another port.
          if (change.before && change.after && change.before->name != change.after->name) {
            changes.push_back({.before = change.before, .after = nullptr});
            change.before = nullptr;
          }
          if (change.before || change.after) changes.push_back(change);
        }
        ports = wanted;
      }
      const Result<void> applied = rules->apply(changes);
      ASSERT_TRUE(applied.ok()) << applied.status().message();
    }
    const std::string changed = listing();
    ASSERT_EQ(rules->counts().size(), 4U);
    for (const TableRules& counted : rules->counts()) {
      SCOPED_TRACE(fmt::format("{} {}", name_of(counted.family), counted.table));
      EXPECT_EQ(counted.total, written_into(counted.family, counted.table));
      EXPECT_LE(counted.last, counted.total);
    }
    std::vector<ServicePortPtr> all;
    for (const auto& [number, ports] : services) all.insert(all.end(), ports.begin(), ports.end());
    ASSERT_FALSE(all.empty());
    ASSERT_TRUE(rules->remove().ok());
    EXPECT_EQ(listing(), "");
    ASSERT_TRUE(make_rules(clock_)->replace(node, all).ok());
    EXPECT_EQ(changed, listing());
  });
}

TEST_F(IptablesRulesTest, WritesEverythingAgainWithoutDoubles) {
  apart([this] {
    SeededRandom random(3);
    const NodeFacts node = test_node();
    const auto ports = testkit::ports_of(random_service(random, 1), node);
    ASSERT_TRUE(make_rules(clock_)->replace(node, ports).ok());
    const std::string first = listing();
    ASSERT_TRUE(make_rules(clock_)->replace(node, ports).ok());
    EXPECT_EQ(listing(), first);
  });
}

TEST_F(IptablesRulesTest, LeavesOthersRulesAlone) {
  apart([this] {
    run({"iptables", "-t", "nat", "-N", "THEIRS"});
    run({"iptables", "-t", "nat", "-A", "PREROUTING", "-j", "THEIRS"});
    run({"iptables", "-A", "INPUT", "-s", "192.0.2.1", "-j", "DROP"});
    const std::string before = listing();
    const auto rules = make_rules(clock_);
    SeededRandom random(5);
    const auto ports = testkit::ports_of(random_service(random, 1), test_node());
    ASSERT_TRUE(rules->replace(test_node(), ports).ok());
    ASSERT_TRUE(rules->remove().ok());
    EXPECT_EQ(listing(), before);
    EXPECT_NE(before.find("THEIRS"), std::string::npos);
  });
}

TEST_F(IptablesRulesTest, NoticesThatATableWasEmptied) {
  apart([this] {
    const auto rules = make_rules(clock_);
    ASSERT_TRUE(rules->replace(test_node(), {}).ok());
    EXPECT_FALSE(rules->disturbed());
    run({"iptables", "-t", "nat", "-F"});
    run({"iptables", "-t", "nat", "-X"});
    EXPECT_TRUE(rules->disturbed());
    ASSERT_TRUE(rules->replace(test_node(), {}).ok());
    EXPECT_FALSE(rules->disturbed());
  });
}

TEST_F(IptablesRulesTest, NoticesThatNothingLeadsToItsChains) {
  apart([this] {
    const auto rules = make_rules(clock_);
    ASSERT_TRUE(rules->replace(test_node(), {}).ok());
    const std::vector<std::vector<std::string>> damages = {
        {"iptables", "-t", "nat", "-F"},
        {"iptables", "-t", "nat", "-D", "PREROUTING", "1"},
        {"ip6tables", "-F", "FORWARD"},
    };
    for (const std::vector<std::string>& damage : damages) {
      SCOPED_TRACE(join(damage, " "));
      run(damage);
      EXPECT_TRUE(rules->disturbed());
      ASSERT_TRUE(rules->replace(test_node(), {}).ok());
      EXPECT_FALSE(rules->disturbed());
    }
  });
}

TEST_F(IptablesRulesTest, RoutesLocalhostWhereItServesNodePorts) {
  apart([&] {
    constexpr const char* kPath = "/proc/sys/net/ipv4/conf/all/route_localnet";
    const auto rules = make_rules(clock_);
    NodeFacts node = test_node();
    node.all_node_port_addresses = false;
    node.node_port_addresses = {parse_ip("192.0.2.10").value()};
    ASSERT_TRUE(rules->replace(node, {}).ok());
    EXPECT_EQ(read_setting(kPath), 0);
    node.node_port_addresses.insert(node.node_port_addresses.begin(),
                                    parse_ip("127.0.0.1").value());
    ASSERT_TRUE(rules->replace(node, {}).ok());
    EXPECT_EQ(read_setting(kPath), 1);
  });
}

}  // namespace
}  // namespace proa::proxy::iptables
