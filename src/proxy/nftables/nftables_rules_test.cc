#include "proxy/nftables/nftables_rules.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <map>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/strings.h"
#include "netlink/nft/print.h"
#include "testkit/netlink/namespace_test_base.h"
#include "testkit/netlink/nft_text.h"
#include "testkit/proxy/service_text.h"

namespace proa::proxy::nftables {
namespace {

using testkit::parse_node_facts;
using testkit::parse_service_port;

constexpr std::array kFamilies = {Family::kV4, Family::kV6};

class NftablesRulesTest : public testkit::NamespaceTest {
 protected:
  std::unique_ptr<NftablesRules> open() { return NftablesRules::open(clock_, kFamilies).value(); }

  // What the kernel has, as nft prints it; chains in order of their names: those of the kernel are
  // in the order in which they were made.
  std::string listed() {
    std::string text;
    for (const char* family : {"ip", "ip6"}) {
      const std::string all =
          testkit::sorted_listing(shell(fmt::format("nft list table {} proa-proxy", family)));
      std::vector<std::string> blocks;
      size_t begin = 0;
      for (size_t end = all.find("\n\n"); end != all.npos; end = all.find("\n\n", begin)) {
        blocks.push_back(all.substr(begin, end - begin));
        begin = end + 2;
      }
      blocks.push_back(all.substr(begin));
      for (std::string& block : blocks) block = trim(block);
      // The table's own bracket.
      if (blocks.back().ends_with("\n}")) blocks.back().resize(blocks.back().size() - 2);
      for (std::string& block : blocks) block = trim(block);
      std::sort(blocks.begin(), blocks.end());
      text += join(blocks, "\n") + "\n";
    }
    return text;
  }

  // What a first start makes.
  std::string fresh(const NodeFacts& node, const std::vector<ServicePortPtr>& all) {
    const auto place = make_namespace();
    std::string text;
    inside(*place, [&] {
      const auto rules = open();
      const auto done = rules->replace(node, all);
      ASSERT_TRUE(done.ok()) << done.status().message();
      text = listed();
    });
    return text;
  }

  const NodeFacts node_ = parse_node_facts(
      "pods=10.244.0.0/16,fd00:244::/64 services=10.96.0.0/16,fd00:96::/112 address=192.168.1.2");
};

std::vector<ServicePortPtr> some_services() {
  return {
      parse_service_port("default/web cluster=10.96.0.1:80 nodeport=30080 external=198.51.100.7 "
                         "endpoints=10.244.0.5:80*,10.244.1.5:80"),
      parse_service_port("default/sticky cluster=10.96.0.2:80 nodeport=30081 external-local "
                         "affinity=600 endpoints=10.244.0.5:80*,10.244.1.5:80"),
      parse_service_port("default/lb cluster=10.96.0.3:80 balancer=203.0.113.9 "
                         "sources=203.0.113.0/24,192.168.1.0/25,0.0.0.0/0 endpoints=10.244.1.5:80"),
      parse_service_port("default/none udp cluster=10.96.0.4:53 nodeport=30053"),
      parse_service_port("default/signal sctp cluster=10.96.0.5:53 endpoints=10.244.1.5:80"),
      parse_service_port("default/web cluster=[fd00:96::1]:80 nodeport=30080 "
                         "endpoints=[fd00:244::5]:80*,[fd00:244:1::5]:80"),
      parse_service_port("default/sticky cluster=[fd00:96::2]:80 nodeport=30081 external-local "
                         "affinity=600 endpoints=[fd00:244::5]:80*,[fd00:244:1::5]:80"),
      parse_service_port("default/lb cluster=[fd00:96::3]:80 balancer=fd00:9::9 sources=fd00::/17 "
                         "endpoints=[fd00:244:1::5]:80"),
  };
}

TEST_F(NftablesRulesTest, AreListedByNftAsWePrintThem) {
  inside([&] {
    const std::vector<ServicePortPtr> services = some_services();
    const auto rules = open();
    const auto done = rules->replace(node_, services);
    ASSERT_TRUE(done.ok()) << done.status().message();
    for (const Family family : kFamilies) {
      TableState state(family);
      state.assign(node_, services);
      const nft::Table table = state.table();
      EXPECT_EQ(testkit::sorted_listing(shell(fmt::format("nft list table {} proa-proxy",
                                                          family == Family::kV4 ? "ip" : "ip6"))),
                print(table));
    }
  });
}

ServicePortPtr random_port(Random& random, size_t service) {
  const bool v6 = service % 2 == 1;
  std::string text = fmt::format("default/s{} cluster={}:80", service,
                                 v6 ? fmt::format("[fd00:96::{}]", random.below(6))
                                    : fmt::format("10.96.0.{}", random.below(6)));
  if (random.below(2) == 0) text += fmt::format(" nodeport={}", 30000 + random.below(5));
  if (random.below(3) == 0) {
    text +=
        v6 ? " balancer=fd00:9::9 sources=fd00::/17" : " balancer=203.0.113.9 sources=10.0.0.0/9";
  }
  if (random.below(3) == 0) text += " affinity=60";
  if (random.below(3) == 0) text += " internal-local";
  if (random.below(3) == 0) text += " external-local";
  std::vector<std::string> endpoints;
  for (size_t i = 0, count = random.below(4); i < count; ++i) {
    endpoints.push_back(v6 ? fmt::format("[fd00:244::{}]:80", i + 1)
                           : fmt::format("10.244.0.{}:80", i + 1));
    if (random.below(2) == 0) endpoints.back() += "*";
  }
  if (!endpoints.empty()) text += " endpoints=" + join(endpoints, ",");
  return parse_service_port(text);
}

TEST_F(NftablesRulesTest, ChangesGiveTheStateOfAFreshStart) {
  inside([&] {
    SeededRandom random(17);
    const auto rules = open();
    ASSERT_TRUE(rules->replace(node_, {}).ok());
    std::map<size_t, ServicePortPtr> ports;
    for (int step = 0; step < 60; ++step) {
      std::map<size_t, Change> changes;
      for (int i = 0; i < 3; ++i) {
        const size_t service = random.below(10);
        if (changes.contains(service)) continue;
        ServicePortPtr& port = ports[service];
        Change change{port, random.below(5) == 0 ? nullptr : random_port(random, service)};
        port = change.after;
        changes[service] = change;
      }
      std::vector<Change> list;
      for (const auto& [service, change] : changes) list.push_back(change);
      const auto done = rules->apply(list);
      ASSERT_TRUE(done.ok()) << done.status().message();
      EXPECT_FALSE(rules->disturbed());
      if (step % 10 != 9) continue;
      std::vector<ServicePortPtr> all;
      for (const auto& [service, port] : ports) {
        if (port != nullptr) all.push_back(port);
      }
      ASSERT_EQ(listed(), fresh(node_, all)) << "step " << step;
    }
  });
}

TEST_F(NftablesRulesTest, RestartKeepsWhatIsRight) {
  inside([&] {
    const std::vector<ServicePortPtr> services = some_services();
    ASSERT_TRUE(open()->replace(node_, services).ok());
    // Another state before, of a process that ended.
    std::vector<ServicePortPtr> later(services.begin() + 1, services.end());
    later.push_back(parse_service_port(
        "default/web cluster=10.96.0.1:80 endpoints=10.244.0.5:80*,10.244.1.5:80,10.244.1.6:80"));
    const uint32_t id = StickyIds().take(services[1]->name);
    const auto client_of = [](uint32_t port) {
      return fmt::format("10.244.0.9 . {:x}:{:x}", port >> 16, port & 0xffff);
    };
    shell(
        fmt::format("nft add element ip proa-proxy affinity '{{ {} timeout 1h : 10.244.0.5 . 80, "
                    "{} timeout 1h : 10.244.0.5 . 80 }}'",
                    client_of(id), client_of(id + 4)));
    const auto rules = open();
    const auto done = rules->replace(node_, later);
    ASSERT_TRUE(done.ok()) << done.status().message();
    const std::string affinity = shell("nft list map ip proa-proxy affinity");
    EXPECT_NE(affinity.find(client_of(id)), std::string::npos) << affinity;
    EXPECT_EQ(affinity.find(client_of(id + 4)), std::string::npos) << affinity;
    shell("nft flush map ip proa-proxy affinity");
    EXPECT_EQ(listed(), fresh(node_, later));
  });
}

TEST_F(NftablesRulesTest, RepairWhatOthersChanged) {
  inside([&] {
    const std::vector<ServicePortPtr> services = some_services();
    const auto rules = open();
    ASSERT_TRUE(rules->replace(node_, services).ok());
    EXPECT_FALSE(rules->disturbed());
    const std::string wanted = fresh(node_, services);
    for (const char* damage : {
             "nft delete table ip proa-proxy",
             "nft delete table ip6 proa-proxy",
             "nft delete element ip proa-proxy cluster-ips '{ 10.96.0.1 }'",
             "nft add element ip proa-proxy cluster-ips '{ 10.96.0.99 }'",
             "nft flush chain ip proa-proxy nat-prerouting",
             "nft insert rule ip proa-proxy services drop",
             "nft add chain ip proa-proxy intruder '{ type filter hook input priority 0; }'",
             "nft add chain ip proa-proxy bystander",
             "nft add set ip proa-proxy more '{ type ipv4_addr; flags interval; }'",
             "nft flush ruleset",
         }) {
      SCOPED_TRACE(damage);
      shell(damage);
      pollfd waiting{rules->descriptor(), POLLIN, 0};
      EXPECT_EQ(::poll(&waiting, 1, 5000), 1);
      EXPECT_TRUE(rules->disturbed());
      const auto done = rules->replace(node_, services);
      ASSERT_TRUE(done.ok()) << done.status().message();
      EXPECT_EQ(listed(), wanted);
      EXPECT_FALSE(rules->disturbed());
    }
  });
}

TEST_F(NftablesRulesTest, AreUsableInBothFamilies) {
  inside([&] {
    EXPECT_EQ(usable_families(clock_).value(),
              std::vector<Family>(kFamilies.begin(), kFamilies.end()));
    EXPECT_EQ(shell("nft list ruleset"), "");
  });
}

TEST_F(NftablesRulesTest, LeaveNothingButOthersRules) {
  inside([&] {
    shell("nft add table ip other");
    const std::string before = shell("nft list ruleset");
    const auto rules = open();
    ASSERT_TRUE(rules->remove().ok());
    ASSERT_TRUE(rules->replace(node_, some_services()).ok());
    ASSERT_TRUE(rules->remove().ok());
    EXPECT_EQ(shell("nft list ruleset"), before);
  });
}

}  // namespace
}  // namespace proa::proxy::nftables
