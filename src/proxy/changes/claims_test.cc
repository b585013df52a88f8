#include "proxy/changes/claims.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "base/log.h"
#include "testkit/fake_clock.h"
#include "testkit/proxy/service_text.h"

namespace proa::proxy {
namespace {

using testkit::parse_service_port;

class ClaimsTest : public ::testing::Test {
 protected:
  // What modes are told: "default/web 5.6.7.8", or "-default/web".
  std::string settle(std::vector<Change> changes) {
    claims_.settle(changes);
    std::vector<std::string> lines;
    for (const Change& change : changes) {
      if (change.after == nullptr) {
        lines.push_back("-" + change.before->name.str());
        continue;
      }
      std::string line = change.after->name.str();
      for (const IpAddress& ip : change.after->external_ips) line += " " + ip.str();
      for (const IpAddress& ip : change.after->load_balancer_ips) line += " " + ip.str();
      lines.push_back(std::move(line));
    }
    std::sort(lines.begin(), lines.end());
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    return text;
  }

  static Change added(const ServicePortPtr& port) { return {.before = nullptr, .after = port}; }
  static Change removed(const ServicePortPtr& port) { return {.before = port, .after = nullptr}; }

  const ServicePortPtr api_ =
      parse_service_port("default/kubernetes:https tcp cluster=10.96.0.1:443");
  const ServicePortPtr thief_ = parse_service_port(
      "a/thief tcp cluster=10.96.0.9:443 external=10.96.0.1 balancer=10.96.0.1,192.0.2.1 "
      "endpoints=10.1.0.5:8080");
  const ServicePortPtr d1_ =
      parse_service_port("default/d1 tcp cluster=10.96.1.1:80 balancer=192.0.2.7");
  const ServicePortPtr d2_ = parse_service_port(
      "default/d2 tcp cluster=10.96.1.2:80 external=192.0.2.7 endpoints=10.1.0.6:80");
  const ServicePortPtr d3_ = parse_service_port(
      "default/d3 tcp cluster=10.96.1.3:80 balancer=192.0.2.7 endpoints=10.1.0.7:80");
  testkit::FakeClock clock_;
  Claims claims_{clock_};
};

std::vector<std::string> g_lines;

TEST_F(ClaimsTest, AConflictThatComesAndGoesDoesNotFillTheLog) {
  g_lines.clear();
  set_log_sink([](std::string_view line) { g_lines.emplace_back(line); });
  settle({added(api_)});
  const auto flap = [&] {
    for (int i = 0; i < 1000; ++i) {
      settle({added(thief_)});
      settle({removed(thief_)});
    }
  };
  flap();
  EXPECT_LE(g_lines.size(), 20u);
  ASSERT_FALSE(g_lines.empty());
  EXPECT_NE(g_lines[0].find("two Services claim the same address address=10.96.0.1:443 "
                            "used=default/kubernetes:https ignored=a/thief omitted=0"),
            std::string::npos)
      << g_lines[0];
  g_lines.clear();
  clock_.advance(std::chrono::seconds(30));
  flap();
  EXPECT_EQ(g_lines.size(), 1u);
  set_log_sink(nullptr);
}

TEST_F(ClaimsTest, AClusterIpIsNobodyElses) {
  EXPECT_EQ(settle({added(thief_)}), "a/thief 10.96.0.1 10.96.0.1 192.0.2.1\n");
  // The Service of the cluster IP comes later, and without endpoints.
  EXPECT_EQ(settle({added(api_)}), "a/thief 192.0.2.1\ndefault/kubernetes:https\n");
  EXPECT_EQ(claims_.settled(thief_)->load_balancer_ips.size(), 1U);
  EXPECT_EQ(claims_.settled(api_), api_);
  EXPECT_EQ(settle({removed(thief_)}), "-a/thief\n");
  EXPECT_EQ(settle({added(thief_)}), "a/thief 192.0.2.1\n");
  EXPECT_EQ(settle({removed(api_)}),
            "-default/kubernetes:https\na/thief 10.96.0.1 10.96.0.1 192.0.2.1\n");
}

TEST_F(ClaimsTest, AmongEqualsOneWithEndpointsWinsThenTheFirstByName) {
  EXPECT_EQ(settle({added(d1_)}), "default/d1 192.0.2.7\n");
  EXPECT_EQ(settle({added(d3_)}), "default/d1\ndefault/d3 192.0.2.7\n");
  EXPECT_EQ(settle({added(d2_)}), "default/d2 192.0.2.7\ndefault/d3\n");
  // Those that had lost before, and lose again, are not told again.
  EXPECT_EQ(settle({removed(d2_)}), "-default/d2\ndefault/d3 192.0.2.7\n");
  auto without = *d3_;
  without.cluster_endpoints.clear();
  without.has_endpoints = false;
  EXPECT_EQ(settle({{.before = d3_, .after = std::make_shared<const ServicePort>(without)}}),
            "default/d1 192.0.2.7\ndefault/d3\n");
}

TEST_F(ClaimsTest, TheOrderOfEventsDoesNotMatter) {
  settle({added(d3_), added(thief_), added(api_), added(d2_), added(d1_)});
  Claims other(clock_);
  for (const ServicePortPtr& port : {d1_, d2_, api_, d3_, thief_}) {
    std::vector<Change> changes = {added(port)};
    other.settle(changes);
  }
  for (const ServicePortPtr& port : {d1_, d2_, d3_, api_, thief_}) {
    EXPECT_EQ(*claims_.settled(port), *other.settled(port)) << port->name.str();
  }
}

TEST_F(ClaimsTest, OtherPortsOfAnAddressAreNotConcerned) {
  const auto other = parse_service_port("b/other tcp cluster=10.96.2.1:8443 balancer=10.96.0.1");
  const auto udp = parse_service_port("b/udp udp cluster=10.96.2.2:443 balancer=10.96.0.1");
  const auto own = parse_service_port("b/own tcp cluster=10.96.2.3:80 external=10.96.2.3");
  EXPECT_EQ(settle({added(api_), added(other), added(udp), added(own)}),
            "b/other 10.96.0.1\nb/own 10.96.2.3\nb/udp 10.96.0.1\ndefault/kubernetes:https\n");
}

}  // namespace
}  // namespace proa::proxy
