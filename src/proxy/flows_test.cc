// What packets do, in each mode and address family: the same requests, the same answers.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "proxy/flows/kernel_flows.h"
#include "proxy/iptables/iptables_rules.h"
#include "proxy/metrics.h"
#include "testkit/proxy/flow_world.h"
#include "testkit/proxy/service_script.h"

namespace proa::proxy {
namespace {

using Place = testkit::FlowWorld::Place;

struct Case {
  Mode mode;
  Family family;
};

class FlowsTest : public ::testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    std::string reason;
    if (GetParam().mode == Mode::kIptables && !iptables::check_programs().ok()) {
      GTEST_SKIP() << "needs iptables";
    }
    world_ = testkit::FlowWorld::make(reason);
    if (world_ == nullptr) GTEST_SKIP() << reason;
    world_->inside(Place::kNode, [this] { rules_ = iptables::make_rules(world_->clock()); });
  }

  bool v6() const { return GetParam().family == Family::kV6; }
  std::string cluster_ip() const { return v6() ? "fd00::1" : "10.0.0.1"; }
  std::string external_ip() const { return v6() ? "2001:db8:9::99" : "203.0.113.99"; }
  std::string node() const { return v6() ? "2001:db8::1" : "192.0.2.1"; }
  std::string client() const { return v6() ? "2001:db8::2" : "192.0.2.2"; }
  std::string pod1() const { return v6() ? "fd01::1" : "10.1.0.1"; }
  std::string pod2() const { return v6() ? "fd01:0:0:1::2" : "10.1.1.2"; }
  // The node's address on the link to that pod: what a pod sees of masqueraded traffic.
  std::string gate1() const { return v6() ? "fd01::fe" : "10.1.0.254"; }
  std::string gate2() const { return v6() ? "fd01:0:0:1::fe" : "10.1.1.254"; }

  // A Service at port 80 and node port 30080. `pods`: of "12".
  std::vector<ServicePortPtr> service(std::string_view more_spec, std::string_view pods,
                                      std::string_view protocol = "TCP") const {
    std::string endpoints;
    if (pods.find('1') != std::string_view::npos) {
      endpoints += fmt::format("{{addresses: [\"{}\"], nodeName: here}},", pod1());
    }
    if (pods.find('2') != std::string_view::npos) {
      endpoints += fmt::format("{{addresses: [\"{}\"], nodeName: there}},", pod2());
    }
    return testkit::ports_of(
        fmt::format("{{metadata: {{name: web, namespace: default}}, spec: {{type: NodePort, "
                    "clusterIP: \"{}\", externalIPs: [\"{}\"], ports: [{{port: 80, protocol: {}, "
                    "nodePort: 30080}}]{}}}}}\n---\n"
                    "{{metadata: {{name: web-1}}, addressType: {}, ports: [{{name: \"\", port: "
                    "8080, protocol: {}}}], endpoints: [{}]}}\n",
                    cluster_ip(), external_ip(), protocol, more_spec, name_of(GetParam().family),
                    protocol, endpoints),
        world_->node());
  }

  void replace(const std::vector<ServicePortPtr>& ports) {
    world_->inside(Place::kNode, [&] {
      const Result<void> done = rules_->replace(world_->node(), ports);
      ASSERT_TRUE(done.ok()) << done.status().message();
    });
    current_ = ports;
  }
  void change(const std::vector<ServicePortPtr>& ports) {
    std::vector<Change> changes;
    changes.push_back({.before = current_.at(0), .after = ports.at(0)});
    world_->inside(Place::kNode, [&] {
      const Result<void> done = rules_->apply(changes);
      ASSERT_TRUE(done.ok()) << done.status().message();
    });
    current_ = ports;
  }

  std::unique_ptr<testkit::FlowWorld> world_;
  std::unique_ptr<Rules> rules_;
  std::vector<ServicePortPtr> current_;
};

TEST_P(FlowsTest, ReachTheClusterIp) {
  replace(service("", "12"));
  // Pods are seen as themselves; those outside, and a pod that reaches itself, as the node.
  EXPECT_EQ(world_->ask_often(Place::kPod2, cluster_ip(), 80),
            fmt::format("pod1 {}, pod2 {}", pod2(), gate2()));
  EXPECT_EQ(world_->ask_often(Place::kClient, cluster_ip(), 80),
            fmt::format("pod1 {}, pod2 {}", gate1(), gate2()));
  EXPECT_EQ(world_->ask_often(Place::kNode, cluster_ip(), 80),
            fmt::format("pod1 {}, pod2 {}", gate1(), gate2()));
}

TEST_P(FlowsTest, ReachNodePortsAndExternalAddresses) {
  replace(service("", "12"));
  for (const auto& [address, port] : {std::pair(node(), 30080), std::pair(external_ip(), 80)}) {
    SCOPED_TRACE(address);
    for (const Place from : {Place::kClient, Place::kPod1, Place::kNode}) {
      EXPECT_EQ(world_->ask_often(from, address, static_cast<uint16_t>(port)),
                fmt::format("pod1 {}, pod2 {}", gate1(), gate2()));
    }
  }
  EXPECT_EQ(world_->ask(Place::kClient, node(), 80), "refused");
}

TEST_P(FlowsTest, StayOnTheNodeWithPolicyLocal) {
  replace(service(", externalTrafficPolicy: Local", "12"));
  // The client's own address is seen.
  EXPECT_EQ(world_->ask_often(Place::kClient, node(), 30080), "pod1 " + client());
  // Pods and the node itself are not outside.
  EXPECT_EQ(world_->ask_often(Place::kPod1, node(), 30080),
            fmt::format("pod1 {}, pod2 {}", gate1(), pod1()));
  EXPECT_EQ(world_->ask_often(Place::kNode, node(), 30080),
            fmt::format("pod1 {}, pod2 {}", gate1(), gate2()));
  change(service(", externalTrafficPolicy: Local", "2"));
  EXPECT_EQ(world_->ask(Place::kClient, node(), 30080), "silent");
  EXPECT_EQ(world_->ask_often(Place::kNode, node(), 30080), "pod2 " + gate2());
  EXPECT_EQ(world_->ask_often(Place::kPod1, cluster_ip(), 80), "pod2 " + pod1());
  change(service(", internalTrafficPolicy: Local", "12"));
  EXPECT_EQ(world_->ask_often(Place::kPod2, cluster_ip(), 80), "pod1 " + pod2());
  change(service(", internalTrafficPolicy: Local", "2"));
  EXPECT_EQ(world_->ask(Place::kPod1, cluster_ip(), 80), "silent");
}

TEST_P(FlowsTest, AreRefusedWithoutEndpoints) {
  replace(service("", ""));
  // Where the answer is there before connect() has returned, which is so on one machine, the kernel
  // takes notice of it when it has repeated the packet, after a second.
  world_->patience = std::chrono::seconds(5);
  for (const Place from : {Place::kClient, Place::kPod1, Place::kNode}) {
    EXPECT_EQ(world_->ask(from, cluster_ip(), 80), "refused");
    EXPECT_EQ(world_->ask(from, node(), 30080), "refused");
  }
  change(service("", "1"));
  EXPECT_EQ(world_->ask_often(Place::kPod2, cluster_ip(), 80), "pod1 " + pod2());
  change(service("", ""));
  EXPECT_EQ(world_->ask(Place::kPod2, cluster_ip(), 80), "refused");
}

TEST_P(FlowsTest, OfUdpAreRefusedAtOnceWithoutEndpoints) {
  replace(service("", "", "UDP"));
  for (const Place from : {Place::kClient, Place::kPod1, Place::kNode}) {
    EXPECT_EQ(world_->ask(from, cluster_ip(), 80, Protocol::kUdp), "refused");
    EXPECT_EQ(world_->ask(from, node(), 30080, Protocol::kUdp), "refused");
  }
}

TEST_P(FlowsTest, StayWithTheirEndpointWhereAffinityIsAskedFor) {
  const char* affinity =
      ", sessionAffinity: ClientIP, sessionAffinityConfig: {clientIP: {timeoutSeconds: 60}}";
  replace(service(affinity, "12"));
  const std::string first = world_->ask(Place::kClient, node(), 30080);
  EXPECT_EQ(world_->ask_often(Place::kClient, node(), 30080), first);
  EXPECT_EQ(world_->ask_often(Place::kClient, cluster_ip(), 80, 3).find(','), std::string::npos);
  // Its endpoint goes: the other one.
  const bool was_first = first.starts_with("pod1");
  change(service(affinity, was_first ? "2" : "1"));
  EXPECT_EQ(world_->ask_often(Place::kClient, node(), 30080),
            was_first ? "pod2 " + gate2() : "pod1 " + gate1());
}

TEST_P(FlowsTest, ComeFromSourceRangesOnly) {
  const auto ports = [this](std::string_view range) {
    return testkit::ports_of(
        fmt::format(
            "{{metadata: {{name: web, namespace: default}}, spec: {{type: LoadBalancer, "
            "clusterIP: \"{}\", loadBalancerSourceRanges: [\"{}\"], ports: [{{port: 80}}]}}, "
            "status: {{loadBalancer: {{ingress: [{{ip: \"{}\"}}]}}}}}}\n---\n"
            "{{metadata: {{name: web-1}}, addressType: {}, ports: [{{name: \"\", port: "
            "8080}}], endpoints: [{{addresses: [\"{}\"]}}]}}\n",
            cluster_ip(), range, external_ip(), name_of(GetParam().family), pod1()),
        world_->node());
  };
  replace(ports(v6() ? "2001:db8::/64" : "192.0.2.0/24"));
  EXPECT_EQ(world_->ask(Place::kClient, external_ip(), 80), "pod1 " + gate1());
  EXPECT_EQ(world_->ask(Place::kPod2, external_ip(), 80), "silent");
  change(ports(v6() ? "2001:db8:1::/64" : "198.51.100.0/24"));
  EXPECT_EQ(world_->ask(Place::kClient, external_ip(), 80), "silent");
  EXPECT_EQ(world_->ask(Place::kClient, cluster_ip(), 80), "pod1 " + gate1());
}

TEST_P(FlowsTest, OfUdpAreAnswered) {
  replace(service("", "1", "UDP"));
  EXPECT_EQ(world_->ask(Place::kPod2, cluster_ip(), 80, Protocol::kUdp), "pod1 " + pod2());
  EXPECT_EQ(world_->ask(Place::kClient, node(), 30080, Protocol::kUdp), "pod1 " + gate1());
  EXPECT_EQ(world_->ask(Place::kClient, node(), 30080), "refused");
}

TEST_P(FlowsTest, OfUdpGoToTheNewEndpointOnceTheOldOneIsForgotten) {
  constexpr uint16_t kFromPort = 5555;
  const auto ask = [&] {
    return world_->ask(Place::kClient, cluster_ip(), 80, Protocol::kUdp, kFromPort);
  };
  replace(service("", "1", "UDP"));
  EXPECT_EQ(ask(), "pod1 " + gate1());
  change(service("", "2", "UDP"));
  EXPECT_EQ(ask(), "pod1 " + gate1());
  world_->inside(Place::kNode, [this] {
    KernelFlows flows(world_->clock());
    const Result<size_t> removed =
        flows.remove(GetParam().family, StaleFlows(GetParam().family, current_));
    ASSERT_TRUE(removed.ok()) << removed.status().message();
    EXPECT_EQ(*removed, 1U);
  });
  EXPECT_EQ(ask(), "pod2 " + gate2());
}

TEST_P(FlowsTest, EndWithTheRules) {
  replace(service("", "12"));
  world_->inside(Place::kNode, [this] { ASSERT_TRUE(rules_->remove().ok()); });
  EXPECT_EQ(world_->ask(Place::kClient, node(), 30080), "refused");
}

INSTANTIATE_TEST_SUITE_P(Modes, FlowsTest,
                         ::testing::Values(Case{Mode::kIptables, Family::kV4},
                                           Case{Mode::kIptables, Family::kV6}),
                         [](const auto& given) {
                           return fmt::format("{}_{}", name_of(given.param.mode),
                                              name_of(given.param.family));
                         });

}  // namespace
}  // namespace proa::proxy
