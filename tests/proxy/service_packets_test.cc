// What packets to Services do: a node with pods, a neighbour with pods of its own, and a client
// outside, each a network namespace. Every mode of the proxy has to pass.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/strings.h"
#include "proxy/flows/kernel_flows.h"
#include "proxy/iptables/iptables_rules.h"
#include "proxy/nftables/nftables_rules.h"
#include "testkit/netlink/namespace_test_base.h"
#include "testkit/proxy/service_text.h"
#include "tests/proxy/echo_servers.h"

namespace proa::proxy {
namespace {

using netlink::NetworkNamespace;
using testkit::parse_service_port;

// For an answer that has to come, and for one that must not come.
constexpr int kPatienceMs = 5000;
constexpr int kSilenceMs = 400;

struct Case {
  std::string mode;
  Family family;
};

class ServicePackets : public testkit::NamespaceTest, public ::testing::WithParamInterface<Case> {
 protected:
  void SetUp() override {
    NamespaceTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    v6_ = GetParam().family == Family::kV6;
    ASSERT_NO_FATAL_FAILURE(make_network());
    inside([&] {
      if (GetParam().mode == "nftables") {
        const Family families[] = {GetParam().family};
        rules_ = nftables::NftablesRules::open(clock_, families).value();
      } else {
        rules_ = iptables::make_rules(clock_);
      }
    });
    replace({});
  }

  // "10.244.0.5" or "fd00:244::5": the host's number in one of the networks.
  IpAddress ip(const std::string& net, int host) const {
    static const std::map<std::string, std::string> kNets4 = {{"pods", "10.244.0."},
                                                              {"far-pods", "10.244.1."},
                                                              {"lan", "192.168.9."},
                                                              {"services", "10.96.0."},
                                                              {"external", "198.51.100."}};
    static const std::map<std::string, std::string> kNets6 = {{"pods", "fd00:244::"},
                                                              {"far-pods", "fd00:244:0:1::"},
                                                              {"lan", "fd00:9::"},
                                                              {"services", "fd00:96::"},
                                                              {"external", "fd00:51::"}};
    return parse_ip(fmt::format("{}{}", (v6_ ? kNets6 : kNets4).at(net), host)).value();
  }
  std::string text(const std::string& net, int host) const { return ip(net, host).str(); }
  // "10.96.0.1:80"
  std::string place(const std::string& net, int host, int port) const {
    return Endpoint{ip(net, host), static_cast<uint16_t>(port)}.str();
  }
  // An endpoint of this node, or of the neighbour.
  std::string near(int host) const { return place("pods", host, kPodPort) + "*"; }
  std::string far(int host) const { return place("far-pods", host, kPodPort); }

  // Joins two namespaces: `in_first` has the end that is called `name` there.
  void join(const NetworkNamespace& first, const std::string& name,
            const NetworkNamespace& second) {
    inside(first, [&] {
      shell(fmt::format("ip link add {} type veth peer name eth0 netns /proc/{}/fd/{}", name,
                        ::getpid(), second.descriptor()));
      shell(fmt::format("ip link set {} up", name));
    });
    inside(second, [&] { shell("ip link set eth0 up"); });
  }

  void add_address(const NetworkNamespace& place, const std::string& link,
                   const IpAddress& address) {
    inside(place, [&] {
      shell("ip link set lo up");
      shell(fmt::format("ip addr add {}/{} dev {} {}", address.str(), v6_ ? 64 : 24, link,
                        v6_ ? "nodad" : ""));
    });
  }

  void add_route(const NetworkNamespace& place, const std::string& what, const IpAddress& through) {
    inside(place, [&] { shell(fmt::format("ip route add {} via {}", what, through.str())); });
  }

  void make_pod(const NetworkNamespace& pod, int host) {
    const std::string name = fmt::format("veth{}", host);
    join(*namespace_, name, pod);
    inside([&] {
      shell(fmt::format("ip link set {0} master pods && bridge link set dev {0} hairpin on", name));
    });
    add_address(pod, "eth0", ip("pods", host));
    add_route(pod, "default", ip("pods", 1));
  }

  // A switch joins node (.2), neighbour (.3) and client (.100).
  void make_network() {
    inside([&] {
      shell("ip link add pods type bridge && ip link set pods up && ip link set lo up");
      shell("sysctl -qw net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1");
    });
    add_address(*namespace_, "pods", ip("pods", 1));
    make_pod(*pod_a_, 5);
    make_pod(*pod_b_, 6);
    inside(*switch_, [&] { shell("ip link add lan type bridge && ip link set lan up"); });
    int number = 0;
    for (const NetworkNamespace* machine : {namespace_.get(), neighbour_.get(), client_.get()}) {
      const std::string name = fmt::format("port{}", number++);
      join(*switch_, name, *machine);
      inside(*switch_, [&] { shell(fmt::format("ip link set {} master lan", name)); });
    }
    add_address(*namespace_, "eth0", ip("lan", 2));
    add_address(*neighbour_, "eth0", ip("lan", 3));
    add_address(*client_, "eth0", ip("lan", 100));
    add_address(*neighbour_, "lo", ip("far-pods", 5));
    const std::string bits = v6_ ? "/64" : "/24";
    add_route(*namespace_, text("far-pods", 0) + bits, ip("lan", 3));
    add_route(*neighbour_, text("pods", 0) + bits, ip("lan", 2));
    for (const char* net : {"services", "external"}) {
      add_route(*client_, text(net, 0) + bits, ip("lan", 2));
    }
    inside(*namespace_, [&] {
      // What is for a Service and is not replaced would leave by this route, to nowhere.
      shell("ip link add nowhere type bridge && ip link set nowhere up");
      shell(fmt::format("ip {} route add default dev nowhere src {}", v6_ ? "-6" : "-4",
                        text("lan", 2)));
    });
    inside(*pod_a_, [&] { servers_.add("a", ip("pods", 5)); });
    inside(*pod_b_, [&] { servers_.add("b", ip("pods", 6)); });
    inside(*neighbour_, [&] { servers_.add("far", ip("far-pods", 5)); });
    inside(*namespace_, [&] { servers_.add("host", ip("lan", 2)); });
    servers_.start();
  }

  NodeFacts node() const {
    NodeFacts node;
    node.name = "node";
    node.addresses = {ip("lan", 2)};
    node.pod_ranges = {parse_prefix(v6_ ? "fd00:244::/64" : "10.244.0.0/24").value()};
    node.localhost_node_ports = false;
    node.all_node_port_addresses = node_port_addresses_.empty();
    node.node_port_addresses = node_port_addresses_;
    return node;
  }

  void replace(const std::vector<std::string>& services) {
    services_.clear();
    for (const std::string& text : services) services_.push_back(parse_service_port(text));
    inside([&] {
      const auto done = rules_->replace(node(), services_);
      ASSERT_TRUE(done.ok()) << done.status().message();
    });
  }

  // Instead of the first one.
  void change(const std::string& text) {
    const Change change{services_[0], parse_service_port(text)};
    services_[0] = change.after;
    inside([&] {
      const auto done = rules_->apply(std::span(&change, 1));
      ASSERT_TRUE(done.ok()) << done.status().message();
    });
  }

  std::string from(const NetworkNamespace& who, const IpAddress& to, uint16_t port,
                   int type = SOCK_STREAM, int patience = kPatienceMs) {
    std::string got;
    inside(who, [&] { got = ask(type, to, port, patience); });
    return got;
  }
  std::string silence_from(const NetworkNamespace& who, const IpAddress& to, uint16_t port) {
    return from(who, to, port, SOCK_STREAM, kSilenceMs);
  }

  bool v6_ = false;
  std::vector<IpAddress> node_port_addresses_;  // empty: all
  std::unique_ptr<NetworkNamespace> pod_a_ = make_namespace();
  std::unique_ptr<NetworkNamespace> pod_b_ = make_namespace();
  std::unique_ptr<NetworkNamespace> switch_ = make_namespace();
  std::unique_ptr<NetworkNamespace> neighbour_ = make_namespace();
  std::unique_ptr<NetworkNamespace> client_ = make_namespace();
  std::unique_ptr<Rules> rules_;
  std::vector<ServicePortPtr> services_;
  Servers servers_;
};

TEST_P(ServicePackets, ReachClusterIps) {
  replace({fmt::format("default/a cluster={} endpoints={}", place("services", 1, 80), near(5)),
           fmt::format("default/far cluster={} endpoints={}", place("services", 2, 80), far(5)),
           fmt::format("default/host cluster={} endpoints={}*", place("services", 3, 80),
                       place("lan", 2, kPodPort))});
  const IpAddress a = ip("services", 1);
  const IpAddress far_away = ip("services", 2);
  EXPECT_EQ(from(*pod_b_, a, 80), "a " + text("pods", 6));
  EXPECT_EQ(from(*pod_b_, far_away, 80), "far " + text("pods", 6));
  EXPECT_EQ(from(*pod_b_, ip("services", 3), 80), "host " + text("pods", 6));
  // Itself: the source is the node, or the pod would answer to itself directly.
  EXPECT_EQ(from(*pod_a_, a, 80), "a " + text("pods", 1));
  // The host is not a pod.
  EXPECT_EQ(from(*namespace_, a, 80), "a " + text("pods", 1));
  EXPECT_EQ(from(*namespace_, far_away, 80), "far " + text("lan", 2));
  // From outside, by a route to this node.
  EXPECT_EQ(from(*client_, a, 80), "a " + text("pods", 1));
  EXPECT_EQ(from(*client_, far_away, 80), "far " + text("lan", 2));
}

TEST_P(ServicePackets, AreRejectedWithoutEndpoints) {
  replace({fmt::format("default/none cluster={} nodeport=30080 external={}",
                       place("services", 1, 80), text("external", 7))});
  for (const NetworkNamespace* who : {pod_a_.get(), namespace_.get(), client_.get()}) {
    EXPECT_EQ(from(*who, ip("services", 1), 80), "refused");
    // Upstream's iptables mode does not look at external IPs in the output hook.
    if (GetParam().mode == "nftables" || who != namespace_.get()) {
      EXPECT_EQ(from(*who, ip("external", 7), 80), "refused");
    }
    EXPECT_EQ(from(*who, ip("lan", 2), 30080), "refused");
  }
  if (GetParam().mode == "nftables") {
    // A port that the Service does not have.
    EXPECT_EQ(from(*pod_a_, ip("services", 1), 81), "refused");
    EXPECT_EQ(from(*namespace_, ip("services", 1), 81), "refused");
  }
}

TEST_P(ServicePackets, ReachNodePortsFromOutside) {
  replace({fmt::format("default/a cluster={} nodeport=30080 endpoints={}", place("services", 1, 80),
                       near(5)),
           fmt::format("default/far cluster={} nodeport=30081 external={} endpoints={}",
                       place("services", 2, 80), text("external", 7), far(5))});
  EXPECT_EQ(from(*client_, ip("lan", 2), 30080), "a " + text("pods", 1));
  EXPECT_EQ(from(*client_, ip("lan", 2), 30081), "far " + text("lan", 2));
  EXPECT_EQ(from(*client_, ip("external", 7), 80), "far " + text("lan", 2));
  EXPECT_EQ(from(*pod_b_, ip("lan", 2), 30080), "a " + text("pods", 1));
  EXPECT_EQ(from(*namespace_, ip("lan", 2), 30080), "a " + text("pods", 1));
}

TEST_P(ServicePackets, KeepTheirSourceWithPolicyLocal) {
  replace({fmt::format("default/both cluster={} nodeport=30080 external={} external-local "
                       "endpoints={},{}",
                       place("services", 1, 80), text("external", 7), near(5), far(5)),
           fmt::format("default/far cluster={} nodeport=30081 external={} external-local "
                       "endpoints={}",
                       place("services", 2, 80), text("external", 8), far(5))});
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(from(*client_, ip("lan", 2), 30080), "a " + text("lan", 100));
    EXPECT_EQ(from(*client_, ip("external", 7), 80), "a " + text("lan", 100));
  }
  // No endpoint here.
  EXPECT_EQ(silence_from(*client_, ip("lan", 2), 30081), "nothing");
  EXPECT_EQ(silence_from(*client_, ip("external", 8), 80), "nothing");
  // Pods and the node itself are not outside.
  EXPECT_EQ(from(*pod_a_, ip("external", 8), 80), "far " + text("pods", 5));
  EXPECT_EQ(from(*namespace_, ip("external", 8), 80), "far " + text("lan", 2));
  EXPECT_EQ(from(*namespace_, ip("lan", 2), 30081), "far " + text("lan", 2));
}

TEST_P(ServicePackets, StayOnTheNodeWithInternalPolicyLocal) {
  replace({fmt::format("default/both cluster={} internal-local endpoints={},{}",
                       place("services", 1, 80), near(5), far(5)),
           fmt::format("default/far cluster={} internal-local endpoints={} unreachable",
                       place("services", 2, 80), far(5))});
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(from(*pod_b_, ip("services", 1), 80), "a " + text("pods", 6));
  }
  EXPECT_EQ(silence_from(*pod_b_, ip("services", 2), 80), "nothing");
}

TEST_P(ServicePackets, AreSpreadOverEndpoints) {
  replace({fmt::format("default/all cluster={} nodeport=30080 endpoints={},{},{}",
                       place("services", 1, 80), near(5), near(6), far(5))});
  std::map<std::string, int> counts;
  for (int i = 0; i < 150; ++i) {
    ++counts[std::string(split(from(*client_, ip("lan", 2), 30080), ' ')[0])];
  }
  // The chance of less than 25 of 150 is one in 100,000.
  EXPECT_EQ(counts.size(), 3U);
  for (const auto& [name, count] : counts) EXPECT_GE(count, 25) << name;
}

TEST_P(ServicePackets, ComeBackToTheSameEndpoint) {
  const auto service = [&](const std::string& endpoints) {
    return fmt::format("default/s cluster={} nodeport=30080 affinity=600 endpoints={}",
                       place("services", 1, 80), endpoints);
  };
  replace({service(near(5) + "," + near(6) + "," + far(5))});
  struct Way {
    const NetworkNamespace* who;
    IpAddress to;
    uint16_t port;
  };
  const std::vector<Way> ways = {{client_.get(), ip("lan", 2), 30080},
                                 {client_.get(), ip("services", 1), 80},
                                 {namespace_.get(), ip("services", 1), 80}};
  for (const Way& way : ways) {
    const std::string first = from(*way.who, way.to, way.port);
    for (int i = 0; i < 10; ++i) EXPECT_EQ(from(*way.who, way.to, way.port), first);
  }
  // The endpoint goes: another one, and again the same.
  for (const std::string& rest :
       {near(5) + "," + near(6), near(5), far(5), near(6) + "," + far(5)}) {
    ASSERT_NO_FATAL_FAILURE(change(service(rest)));
    for (const Way& way : ways) {
      const std::string first = from(*way.who, way.to, way.port);
      EXPECT_NE(first, "nothing");
      for (int i = 0; i < 5; ++i) EXPECT_EQ(from(*way.who, way.to, way.port), first) << rest;
    }
  }
}

TEST_P(ServicePackets, ComeBackToTheSameEndpointAtAllAddresses) {
  const auto service = [&](const std::string& endpoints) {
    return fmt::format("default/s cluster={} nodeport=30080 external={} affinity=600 endpoints={}",
                       place("services", 1, 80), text("external", 7), endpoints);
  };
  const auto endpoint_at = [&](const IpAddress& to, uint16_t port) {
    return std::string(split(from(*client_, to, port), ' ')[0]);
  };
  replace({service(near(5) + "," + near(6) + "," + far(5))});
  // The chance that all are the same is one in 2,000 where each address has its own.
  for (const std::string& all : {near(5) + "," + near(6) + "," + far(5), near(6) + "," + far(5),
                                 near(5) + "," + far(5), near(5) + "," + near(6)}) {
    ASSERT_NO_FATAL_FAILURE(change(service(all)));
    const std::string first = endpoint_at(ip("services", 1), 80);
    EXPECT_NE(first, "nothing");
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(endpoint_at(ip("lan", 2), 30080), first) << all;
      EXPECT_EQ(endpoint_at(ip("external", 7), 80), first) << all;
      EXPECT_EQ(endpoint_at(ip("services", 1), 80), first) << all;
    }
  }
}

TEST_P(ServicePackets, AreFreeAgainAfterTheTimeOfAffinity) {
  replace({fmt::format("default/s cluster={} affinity=1 endpoints={},{},{}",
                       place("services", 1, 80), near(5), near(6), far(5))});
  const std::string first = from(*client_, ip("services", 1), 80);
  // The chance that all are the same is one in 500,000.
  bool moved = false;
  for (int i = 0; i < 12 && !moved; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1300));
    moved = from(*client_, ip("services", 1), 80) != first;
  }
  EXPECT_TRUE(moved);
}

TEST_P(ServicePackets, ReachNodePortsOfChosenAddressesOnly) {
  add_address(*namespace_, "eth0", ip("lan", 22));
  node_port_addresses_ = {ip("lan", 22)};
  replace({fmt::format("default/a cluster={} nodeport=30080 endpoints={}", place("services", 1, 80),
                       near(5)),
           fmt::format("default/none cluster={} nodeport=30081", place("services", 2, 80))});
  EXPECT_EQ(from(*client_, ip("lan", 22), 30080), "a " + text("pods", 1));
  EXPECT_EQ(from(*client_, ip("lan", 22), 30081), "refused");
  // Nobody listens at the other address, where the port is no Service's.
  EXPECT_EQ(from(*client_, ip("lan", 2), 30080), "refused");
  EXPECT_EQ(from(*pod_b_, ip("lan", 2), 30080), "refused");
}

TEST_P(ServicePackets, FollowChangesOfEndpoints) {
  const auto service = [&](const std::string& endpoints) {
    return fmt::format("default/s cluster={} nodeport=30080 endpoints={}", place("services", 1, 80),
                       endpoints);
  };
  replace({service(near(5))});
  EXPECT_EQ(from(*pod_b_, ip("services", 1), 80), "a " + text("pods", 6));
  change(service(far(5)));
  EXPECT_EQ(from(*pod_b_, ip("services", 1), 80), "far " + text("pods", 6));
  change(fmt::format("default/s cluster={} nodeport=30080", place("services", 1, 80)));
  EXPECT_EQ(from(*pod_b_, ip("services", 1), 80), "refused");
  change(service(near(6)));
  EXPECT_EQ(from(*client_, ip("lan", 2), 30080), "b " + text("pods", 1));
}

TEST_P(ServicePackets, OfUdpAreServedToo) {
  replace({fmt::format("default/a udp cluster={} nodeport=30053 endpoints={}",
                       place("services", 1, 53), near(5)),
           fmt::format("default/none udp cluster={}", place("services", 2, 53)),
           fmt::format("default/tcp cluster={} endpoints={}", place("services", 1, 53), near(6))});
  EXPECT_EQ(from(*pod_b_, ip("services", 1), 53, SOCK_DGRAM), "a " + text("pods", 6));
  EXPECT_EQ(from(*pod_a_, ip("services", 1), 53, SOCK_STREAM), "b " + text("pods", 5));
  EXPECT_EQ(from(*client_, ip("lan", 2), 30053, SOCK_DGRAM), "a " + text("pods", 1));
  EXPECT_EQ(from(*pod_b_, ip("services", 2), 53, SOCK_DGRAM), "refused");
}

TEST_P(ServicePackets, OfUdpFollowChangesOnceTheirFlowIsForgotten) {
  constexpr uint16_t kFromPort = 5555;
  const auto service = [&](int host) {
    return fmt::format("default/s udp cluster={} endpoints={}", place("services", 1, 53),
                       near(host));
  };
  const auto ask_again = [&] {
    std::string got;
    inside(*client_, [&] { got = ask(SOCK_DGRAM, ip("services", 1), 53, kPatienceMs, kFromPort); });
    return got;
  };
  replace({service(5)});
  EXPECT_EQ(ask_again(), "a " + text("pods", 1));
  change(service(6));
  EXPECT_EQ(ask_again(), "a " + text("pods", 1));
  // As EndpointSlices say it.
  ServicePort port = *services_[0];
  port.serving_endpoints = port.cluster_endpoints;
  const ServicePortPtr changed = std::make_shared<const ServicePort>(port);
  inside([&] {
    KernelFlows flows(clock_);
    const auto removed = flows.remove(port.family, StaleFlows(port.family, std::span(&changed, 1)));
    ASSERT_TRUE(removed.ok()) << removed.status().message();
    EXPECT_EQ(*removed, 1U);
  });
  EXPECT_EQ(ask_again(), "b " + text("pods", 1));
}

TEST_P(ServicePackets, AreDroppedFromOtherSources) {
  const std::string all_of_lan = v6_ ? "fd00:9::/64" : "192.168.9.0/24";
  replace({fmt::format("default/open cluster={} balancer={} sources={} endpoints={}",
                       place("services", 1, 80), text("external", 7), all_of_lan, near(5)),
           fmt::format("default/closed cluster={} nodeport=30080 balancer={} sources={}/{} "
                       "endpoints={}",
                       place("services", 2, 80), text("external", 8), text("lan", 77),
                       v6_ ? 128 : 32, near(5))});
  EXPECT_EQ(from(*client_, ip("external", 7), 80), "a " + text("pods", 1));
  EXPECT_EQ(from(*namespace_, ip("external", 7), 80), "a " + text("pods", 1));
  EXPECT_EQ(silence_from(*client_, ip("external", 8), 80), "nothing");
  // Node ports are open to all.
  EXPECT_EQ(from(*client_, ip("lan", 2), 30080), "a " + text("pods", 1));
}

std::string name_of_case(const ::testing::TestParamInfo<Case>& info) {
  return info.param.mode + std::string(name_of(info.param.family));
}

INSTANTIATE_TEST_SUITE_P(Modes, ServicePackets,
                         ::testing::Values(Case{"nftables", Family::kV4},
                                           Case{"nftables", Family::kV6},
                                           Case{"iptables", Family::kV4},
                                           Case{"iptables", Family::kV6}),
                         name_of_case);

}  // namespace
}  // namespace proa::proxy
