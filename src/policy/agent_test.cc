#include "policy/agent.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include "testkit/netlink/namespace_test_base.h"
#include "testkit/patience.h"
#include "testkit/policy/pod_network.h"
#include "testkit/policy/policy_world.h"

namespace proa::policy {
namespace {

using testkit::PodNetwork;
using Probe = PodNetwork::Probe;

constexpr const char* kDenyAll = R"({"podSelector":{},"policyTypes":["Ingress","Egress"]})";

// A TCP connection that can be asked whether it still works.
class Stream {
 public:
  // `own`: the address of the caller, where it has several.
  Stream(const netlink::NetworkNamespace& from, const netlink::NetworkNamespace& to,
         const std::string& address, uint16_t port, const std::string& own = "0.0.0.0") {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_port = htons(port);
    EXPECT_EQ(::inet_pton(AF_INET, address.c_str(), &at.sin_addr), 1);
    sockaddr_in source{};
    source.sin_family = AF_INET;
    EXPECT_EQ(::inet_pton(AF_INET, own.c_str(), &source.sin_addr), 1);
    FileDescriptor listening;
    const auto run = [](const netlink::NetworkNamespace& place, const auto& body) {
      EXPECT_TRUE(place
                      .run([&]() -> Result<void> {
                        body();
                        return {};
                      })
                      .ok());
    };
    run(to, [&] {
      listening = FileDescriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
      EXPECT_EQ(::bind(listening.get(), reinterpret_cast<sockaddr*>(&at), sizeof at), 0);
      EXPECT_EQ(::listen(listening.get(), 1), 0);
    });
    run(from, [&] {
      caller_ = FileDescriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
      EXPECT_EQ(::bind(caller_.get(), reinterpret_cast<sockaddr*>(&source), sizeof source), 0);
      EXPECT_EQ(::connect(caller_.get(), reinterpret_cast<sockaddr*>(&at), sizeof at), 0);
    });
    called_ = FileDescriptor(::accept4(listening.get(), nullptr, nullptr, SOCK_CLOEXEC));
  }

  // Whether what one end sends arrives, within a time that the first retransmission is part of.
  bool carries(bool from_caller) const {
    const int out = from_caller ? caller_.get() : called_.get();
    const int in = from_caller ? called_.get() : caller_.get();
    if (::send(out, "x", 1, MSG_NOSIGNAL) != 1) return false;
    pollfd waiting{in, POLLIN, 0};
    char byte = 0;
    return ::poll(&waiting, 1, 600) == 1 && ::recv(in, &byte, 1, 0) == 1;
  }

 private:
  FileDescriptor caller_;
  FileDescriptor called_;
};

class PolicyAgentTest : public testkit::NamespaceTest {
 protected:
  // Local pods a0, a1 and b2, remote b3; all with the label app: their name.
  void SetUp() override {
    NamespaceTest::SetUp();
    if (IsSkipped()) return;
    network_ = std::make_unique<PodNetwork>(3, 1, clock_);
    world_.put_namespace("a", R"("team":"a")");
    world_.put_namespace("b", R"("team":"b")");
    for (size_t i = 0; i < 4; ++i) put_pod(i);
    settle();
  }
  static std::string space_of(size_t pod) { return pod < 2 ? "a" : "b"; }
  static std::string name_of(size_t pod) { return fmt::format("{}{}", space_of(pod), pod); }
  void put_pod(size_t i) {
    world_.put_pod(space_of(i), name_of(i), fmt::format(R"("app":"{}")", name_of(i)),
                   {network_->address(i), network_->address(i, true)}, i < 3 ? "here" : "there",
                   R"({"name":"web","containerPort":80})");
  }
  void settle() {
    inside(network_->node(), [&] { world_.settle(); });
  }
  // "tcp/80 tcp/81 udp/80 udp/81", those that arrive by both families.
  std::string reached(size_t from, size_t to, bool expected = false) {
    std::vector<Probe> probes;
    for (const Probe& probe : network_->all_probes()) {
      if (probe.from == from && probe.to == to) probes.push_back(probe);
    }
    const std::set<Probe> found = network_->arriving(
        probes, expected ? std::set(probes.begin(), probes.end()) : std::set<Probe>());
    std::string text;
    for (Probe probe : probes) {
      if (probe.v6 || !found.contains(probe)) continue;
      probe.v6 = true;
      EXPECT_TRUE(found.contains(probe)) << probe.str();
      text += fmt::format("{}{}/{}", text.empty() ? "" : " ",
                          probe.protocol == IPPROTO_TCP ? "tcp" : "udp", probe.port);
    }
    return text;
  }

  static constexpr const char* kAll = "tcp/80 udp/80 tcp/81 udp/81";
  std::unique_ptr<PodNetwork> network_;
  testkit::PolicyWorld world_;
};

TEST_F(PolicyAgentTest, ForbidsOnTheBridgeAndFromAfar) {
  EXPECT_EQ(reached(0, 1, true), kAll);
  EXPECT_EQ(reached(3, 0, true), kAll);
  world_.put_policy("a", "deny", kDenyAll);
  settle();
  EXPECT_EQ(reached(0, 1), "");  // by the bridge
  EXPECT_EQ(reached(2, 0), "");
  EXPECT_EQ(reached(3, 0), "");  // routed
  EXPECT_EQ(reached(0, 3), "");
  EXPECT_EQ(reached(2, 3, true), kAll);
  EXPECT_EQ(reached(3, 2, true), kAll);
  world_.put_policy("a", "web",
                    R"({"podSelector":{"matchLabels":{"app":"a0"}},"ingress":[{"from":[)"
                    R"({"namespaceSelector":{"matchLabels":{"team":"b"}}}],)"
                    R"("ports":[{"port":"web"}]}]})");
  settle();
  EXPECT_EQ(reached(3, 0), "tcp/80");
  EXPECT_EQ(reached(2, 0), "tcp/80");
  EXPECT_EQ(reached(1, 0), "");
  EXPECT_EQ(reached(3, 1), "");
  world_.remove_policy("a", "deny");
  world_.remove_policy("a", "web");
  settle();
  EXPECT_EQ(reached(3, 0, true), kAll);
  EXPECT_EQ(reached(0, 1, true), kAll);
}

TEST_F(PolicyAgentTest, TheNodeReachesItsPods) {
  world_.put_policy("a", "deny", kDenyAll);
  settle();
  EXPECT_EQ(seen_source(network_->node(), network_->place(0), network_->address(0)),
            PodNetwork::kGateway);
  // What a pod sends to its node is egress.
  EXPECT_EQ(seen_source(network_->place(0), network_->node(), PodNetwork::kGateway), "");
  EXPECT_EQ(seen_source(network_->place(2), network_->node(), PodNetwork::kGateway),
            network_->address(2));
  world_.put_policy("a", "out",
                    fmt::format(R"({{"podSelector":{{}},"policyTypes":["Egress"],)"
                                R"("egress":[{{"to":[{{"ipBlock":{{"cidr":"{}/32"}}}}]}}]}})",
                                PodNetwork::kGateway));
  settle();
  EXPECT_EQ(seen_source(network_->place(0), network_->node(), PodNetwork::kGateway),
            network_->address(0));
}

// Each link has an address that no policy knows.
TEST_F(PolicyAgentTest, AddressesOfLinksAreNoWayAround) {
  constexpr uint16_t kPort = 1234;
  sockaddr_in6 to{};
  to.sin6_family = AF_INET6;
  to.sin6_port = htons(kPort);
  FileDescriptor receiver;
  inside(network_->place(0), [&] {
    sockaddr_in6 any = to;
    receiver = FileDescriptor(::socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    EXPECT_EQ(::bind(receiver.get(), reinterpret_cast<sockaddr*>(&any), sizeof any), 0);
    std::string own =
        shell("ip -6 -o address show dev eth0 scope link | sed 's/.*inet6 //; s,/.*,,'");
    own.pop_back();
    EXPECT_EQ(::inet_pton(AF_INET6, own.c_str(), &to.sin6_addr), 1) << own;
  });
  const auto arrives = [&](int milliseconds) {
    inside(network_->place(1), [&] {
      to.sin6_scope_id = ::if_nametoindex("eth0");
      const FileDescriptor sender(::socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0));
      EXPECT_EQ(::sendto(sender.get(), "x", 1, 0, reinterpret_cast<sockaddr*>(&to), sizeof to), 1);
    });
    pollfd waiting{receiver.get(), POLLIN, 0};
    return ::poll(&waiting, 1, milliseconds) == 1;
  };
  EXPECT_FALSE(arrives(200));
  inside(network_->node(), [&] { shell("nft delete table ip6 proa-policy"); });
  EXPECT_TRUE(arrives(5000));
}

// Neighbour discovery passes before policies are asked, and may carry anything.
TEST_F(PolicyAgentTest, NeighbourDiscoveryIsNotRouted) {
  const auto raw = [&](size_t pod) {
    FileDescriptor file;
    inside(network_->place(pod), [&] {
      file = FileDescriptor(::socket(AF_INET6, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_ICMPV6));
    });
    return file;
  };
  const FileDescriptor sender = raw(0);
  const FileDescriptor receiver = raw(3);
  const int hops = 64;
  ASSERT_EQ(::setsockopt(sender.get(), IPPROTO_IPV6, IPV6_UNICAST_HOPS, &hops, sizeof hops), 0);
  sockaddr_in6 at{};
  at.sin6_family = AF_INET6;
  ASSERT_EQ(::inet_pton(AF_INET6, network_->address(3, true).c_str(), &at.sin6_addr), 1);
  // Whether a solicitation with this text arrives.
  const auto arrives = [&](const std::string& text) {
    constexpr char kSolicitation = static_cast<char>(135);
    const std::string message = kSolicitation + std::string(23, '\0') + text;
    EXPECT_EQ(::sendto(sender.get(), message.data(), message.size(), 0,
                       reinterpret_cast<const sockaddr*>(&at), sizeof at),
              static_cast<ssize_t>(message.size()));
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(500);
    std::string got(1024, '\0');
    pollfd waiting{receiver.get(), POLLIN, 0};
    while (std::chrono::steady_clock::now() < until && ::poll(&waiting, 1, 500) == 1) {
      const ssize_t size = ::recv(receiver.get(), got.data(), got.size(), 0);
      if (size > 0 && std::string_view(got.data(), static_cast<size_t>(size)).ends_with(text)) {
        return true;
      }
    }
    return false;
  };
  EXPECT_TRUE(arrives("open"));
  world_.put_policy("a", "deny", kDenyAll);
  settle();
  EXPECT_FALSE(arrives("denied"));
}

TEST_F(PolicyAgentTest, CutsConnectionsThatAreForbiddenNow) {
  const Stream bridged(network_->place(1), network_->place(0), network_->address(0), 1000);
  const Stream routed(network_->place(3), network_->place(0), network_->address(0), 1001,
                      network_->address(3));
  const Stream out(network_->place(0), network_->place(3), network_->address(3), 1002);
  const Stream to_node(network_->place(0), network_->node(), PodNetwork::kGateway, 1003);
  const Stream from_node(network_->node(), network_->place(0), network_->address(0), 1004);
  for (const Stream* stream : {&bridged, &routed, &out, &to_node, &from_node}) {
    EXPECT_TRUE(stream->carries(true));
    EXPECT_TRUE(stream->carries(false));
  }
  // Of those, the policy still allows what comes from afar.
  world_.put_policy("a", "some",
                    R"({"podSelector":{},"policyTypes":["Ingress","Egress"],"ingress":[{"from":[)"
                    R"({"namespaceSelector":{"matchLabels":{"team":"b"}}}]}]})");
  settle();
  EXPECT_TRUE(routed.carries(true));
  EXPECT_TRUE(routed.carries(false));
  EXPECT_TRUE(from_node.carries(true));
  EXPECT_TRUE(from_node.carries(false));
  // Whoever sends first: a packet of the called side does not begin another connection.
  EXPECT_FALSE(bridged.carries(false));
  EXPECT_FALSE(bridged.carries(true));
  EXPECT_FALSE(out.carries(false));
  EXPECT_FALSE(out.carries(true));
  EXPECT_FALSE(to_node.carries(false));
  EXPECT_FALSE(to_node.carries(true));
  // A label of the namespace decides the rest.
  world_.put_namespace("b", R"("team":"c")");
  settle();
  EXPECT_FALSE(routed.carries(false));
  EXPECT_FALSE(routed.carries(true));
  EXPECT_TRUE(from_node.carries(true));
}

TEST_F(PolicyAgentTest, WhatOthersDeleteComesBack) {
  world_.put_policy("a", "deny", kDenyAll);
  settle();
  inside(network_->node(), [&] { shell("nft delete table ip proa-policy"); });
  settle();
  inside(network_->node(), [&] {
    EXPECT_NE(shell("nft list table ip proa-policy").find("a/deny"), std::string::npos);
  });
  EXPECT_EQ(reached(3, 0), "");
}

TEST_F(PolicyAgentTest, BridgedPacketsAreFilteredAgain) {
  world_.put_policy("a", "deny", kDenyAll);
  settle();
  inside(network_->node(), [&] {
    shell(
        "echo 0 | tee /proc/sys/net/bridge/bridge-nf-call-iptables "
        "/proc/sys/net/bridge/bridge-nf-call-ip6tables");
  });
  settle();
  EXPECT_EQ(reached(1, 0), "");
}

TEST_F(PolicyAgentTest, ARestartKeepsTheWalls) {
  world_.put_policy("a", "deny", kDenyAll);
  settle();
  const Stream node(network_->node(), network_->place(0), network_->address(0), 1000);
  const Stream free(network_->place(2), network_->place(3), network_->address(3), 1001);
  world_.restart();
  EXPECT_EQ(reached(0, 1), "");
  settle();
  EXPECT_EQ(reached(0, 1), "");
  EXPECT_TRUE(node.carries(true));
  EXPECT_TRUE(free.carries(true));
  inside(network_->node(), [&] {
    EXPECT_TRUE(remove_policy_rules(kTable, clock_).value());
    EXPECT_EQ(shell("nft list ruleset"), "");
    EXPECT_FALSE(remove_policy_rules(kTable, clock_).value());
  });
}

// The API gets the addresses of a pod when its containers run already.
TEST_F(PolicyAgentTest, NewPodsHaveTheirRulesBeforeTheyStart) {
  world_.put_policy("a", "deny", kDenyAll);
  world_.remove_pod("a", "a0");
  settle();
  EXPECT_EQ(reached(3, 0, true), kAll);
  world_.restart();
  PolicyAgent& agent = world_.agent();
  const std::vector<IpAddress> addresses = {parse_ip(network_->address(0)).value(),
                                            parse_ip(network_->address(0, true)).value()};
  const PolicyAgent::NewPod unknown{.key = {"a", "a0"}, .uid = "x", .addresses = addresses};
  // Nothing is known yet, so there may be policies for it.
  EXPECT_TRUE(agent.prepare(unknown, Until::after(clock_, std::chrono::milliseconds(20)))
                  .is(Reason::kTimeout));
  inside(network_->node(), [&] { ASSERT_TRUE(agent.start().ok()); });
  ASSERT_TRUE(testkit::holds_within(std::chrono::seconds(10), [&] {
    const auto waited = agent.prepare({{"a", "ghost"}, "x", addresses},
                                      Until::after(clock_, std::chrono::milliseconds(20)));
    return waited.is(Reason::kTimeout);
  }));
  const std::string uid = world_.put_starting_pod("a", "a0", R"("app":"a0")");
  EXPECT_TRUE(agent.prepare({{"a", "a0"}, uid, addresses}, soon()).ok());
  EXPECT_EQ(reached(3, 0), "");
  EXPECT_EQ(reached(0, 3), "");
  EXPECT_TRUE(agent.prepare({{"a", "a0"}, uid, addresses}, soon()).ok());
  agent.stop();
}

// The kernel keeps packets for an address that it does not find yet, behind the rules.
TEST_F(PolicyAgentTest, NewPodsGetNothingThatWasSentBeforeTheirRules) {
  world_.put_policy("a", "deny", kDenyAll);
  world_.remove_pod("a", "a0");
  settle();
  world_.restart();
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_port = htons(90);
  FileDescriptor receiver;
  FileDescriptor sender;
  inside(network_->place(0), [&] {
    shell("ip link set eth0 down");
    receiver = FileDescriptor(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    ASSERT_EQ(::bind(receiver.get(), reinterpret_cast<sockaddr*>(&at), sizeof at), 0);
  });
  inside(network_->node(), [&] { shell("ip neighbour flush dev proa0"); });
  ASSERT_EQ(::inet_pton(AF_INET, network_->address(0).c_str(), &at.sin_addr), 1);
  inside(network_->place(3), [&] {
    sender = FileDescriptor(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    ASSERT_EQ(::sendto(sender.get(), "early", 5, 0, reinterpret_cast<sockaddr*>(&at), sizeof at),
              5);
  });
  inside(network_->node(), [&] {
    EXPECT_TRUE(testkit::holds_within(std::chrono::seconds(2), [&] {
      return shell("ip neighbour show dev proa0 nud incomplete").find(network_->address(0)) == 0;
    }));
    ASSERT_TRUE(world_.agent().start().ok());
  });
  inside(network_->place(0), [&] { shell("ip link set eth0 up"); });
  const std::string uid = world_.put_starting_pod("a", "a0", R"("app":"a0")");
  const std::vector<IpAddress> addresses = {parse_ip(network_->address(0)).value()};
  EXPECT_TRUE(world_.agent().prepare({{"a", "a0"}, uid, addresses}, soon()).ok());
  // Longer than the kernel takes to ask again.
  pollfd waiting{receiver.get(), POLLIN, 0};
  EXPECT_EQ(::poll(&waiting, 1, 1500), 0);
  world_.agent().stop();
}

}  // namespace
}  // namespace proa::policy
