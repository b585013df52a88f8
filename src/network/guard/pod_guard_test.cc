#include "network/guard/pod_guard.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <linux/if_ether.h>
#include <poll.h>
#include <sys/socket.h>

#include <gtest/gtest.h>

#include "netlink/nft/print.h"
#include "netlink/route/write.h"
#include "testkit/netlink/namespace_test_base.h"
#include "testkit/netlink/nft_text.h"
#include "testkit/network/wire.h"
#include "testkit/patience.h"
#include "testkit/process.h"

namespace proa::network {
namespace {

using netlink::MacAddress;
using std::chrono::seconds;
using testkit::arp_packet;
using testkit::Ether;
using testkit::holds_within;
using testkit::icmp6_packet;
using testkit::udp_packet;
using testkit::vlan_tag;
using testkit::Wire;

constexpr uint16_t kPort = 7777;
constexpr uint16_t kIp = ETH_P_IP;
constexpr uint16_t kIp6 = ETH_P_IPV6;
constexpr uint16_t kArp = ETH_P_ARP;

IpAddress ip(const std::string& text) { return parse_ip(text).value(); }
MacAddress mac(uint8_t last) { return {2, 0, 0, 0, 0, last}; }

// A pod's addresses and MAC end with its number.
struct Pod {
  explicit Pod(uint8_t last) : number(last) {}
  uint8_t number;
  std::unique_ptr<netlink::NetworkNamespace> place = {};
  std::string link() const { return fmt::format("veth{:08x}", number); }
  IpAddress v4() const { return ip(fmt::format("10.244.1.{}", number)); }
  IpAddress v6() const { return ip(fmt::format("fd01::{:x}", number)); }
  IpAddress local() const { return link_local_address(mac(number)); }
};

class PodGuardTest : public testkit::NamespaceTest {
 protected:
  void SetUp() override {
    NamespaceTest::SetUp();
    if (IsSkipped()) return;
    inside([&] {
      shell(
          "echo 0 >/proc/sys/net/ipv6/conf/default/accept_dad; ip link set lo up; ip link add "
          "proa0 type bridge; ip link set proa0 up; ip address add 10.244.1.1/24 dev proa0; ip "
          "address add fd01::1/64 dev proa0; echo 1 >/proc/sys/net/ipv4/ip_forward; echo 1 "
          ">/proc/sys/net/ipv6/conf/all/forwarding");
    });
  }

  // As the bridge plugin does it. `told`: in the folder of results.
  Pod attach(uint8_t number, bool told = true) {
    Pod pod(number);
    pod.place = make_namespace();
    inside([&] {
      auto routing = netlink::Routing::open(clock_);
      netlink::Batch batch;
      netlink::add_veth(batch,
                        {.name = pod.link(), .up = true, .master = routing->link("proa0")->index},
                        {.name = "eth0"}, pod.place->descriptor());
      EXPECT_TRUE(routing->apply(batch).ok());
      shell("echo 1 >/sys/class/net/" + pod.link() + "/brport/hairpin_mode 2>/dev/null || bridge " +
            "link set dev " + pod.link() + " hairpin on");
    });
    inside(*pod.place, [&] {
      shell(fmt::format(
          "echo 0 >/proc/sys/net/ipv6/conf/eth0/accept_dad; ip link set lo up; ip link set eth0 "
          "address {} up; ip address add {}/24 dev eth0; ip address add {}/64 dev eth0; ip route "
          "add default via 10.244.1.1; ip route add default via fd01::1",
          netlink::mac_text(mac(number)), pod.v4().str(), pod.v6().str()));
    });
    if (told) tell(pod);
    return pod;
  }

  static std::string file_of(const Pod& pod) {
    return fmt::format("proa0-{:064x}-eth0", pod.number);
  }

  void tell(const Pod& pod) {
    folder_.write(
        file_of(pod),
        fmt::format(
            R"({{"kind":"cniCacheV1","networkName":"proa0","ifName":"eth0","result":)"
            R"({{"cniVersion":"1.0.0","interfaces":[{{"name":"proa0"}},{{"name":"{}"}},)"
            R"({{"name":"eth0","mac":"{}","sandbox":"/run/netns/x"}}],"ips":[)"
            R"({{"interface":2,"address":"{}/24"}},{{"interface":2,"address":"{}/64"}}]}}}})",
            pod.link(), netlink::mac_text(mac(pod.number)), pod.v4().str(), pod.v6().str()));
  }

  PodGuard& start() {
    guard_.reset();
    guard_ = std::make_unique<PodGuard>(PodGuard::Context{
        .files = files_, .clock = clock_, .random = random_, .results = folder_.path()});
    inside([&] {
      const auto started = guard_->start();
      ASSERT_TRUE(started.ok()) << started.status().message();
    });
    return *guard_;
  }

  std::string rules() {
    std::string text;
    inside([&] { text = shell("nft list table bridge proa-network 2>/dev/null || true"); });
    return testkit::sorted_listing(text);
  }

  static std::string wanted(const std::set<std::string>& ports,
                            const std::vector<const Pod*>& pods) {
    std::vector<PodPort> all;
    for (const Pod* pod : pods)
      all.push_back({pod->link(),
                     mac(pod->number),
                     {pod->v4(), pod->v6()},
                     {ip("10.244.1.0"), ip("10.244.1.255")}});
    return netlink::nft::print(guard_table({}, ports, all));
  }

  // Whether a frame of one pod arrives at another one. Frames stay in their order, so what was sent
  // behind it has passed it.
  bool arrives(const Pod& from, const Wire& sender, const Pod& to, const Wire& receiver,
               const Ether& ether, const std::string& packet) {
    const std::string last = fmt::format("the last frame of {}", ++sent_);
    sender.send(testkit::frame_of(ether, packet));
    sender.send(testkit::frame_of({.to = mac(to.number), .from = mac(from.number), .type = kIp},
                                  udp_packet(from.v4(), to.v4(), kPort, last)));
    const std::string seen = receiver.received(last);
    EXPECT_NE(seen.find(last), std::string::npos) << "honest packets pass";
    return seen.find(packet) != std::string::npos;
  }

  // Whether a datagram to `address` reaches a pod, and its answer comes back.
  bool answered(const Pod& from, const Pod& to, const std::string& address, size_t bytes = 1) {
    const bool v6 = !ip(address).is_v4();
    sockaddr_in at4{};
    at4.sin_family = AF_INET;
    at4.sin_port = htons(kPort);
    sockaddr_in6 at6{};
    at6.sin6_family = AF_INET6;
    at6.sin6_port = htons(kPort);
    const auto* at = v6 ? reinterpret_cast<sockaddr*>(&at6) : reinterpret_cast<sockaddr*>(&at4);
    const socklen_t length = v6 ? sizeof at6 : sizeof at4;
    FileDescriptor server;
    FileDescriptor client;
    const std::string payload(bytes, 'x');
    inside(*to.place, [&] {
      server = FileDescriptor(::socket(v6 ? AF_INET6 : AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
      EXPECT_EQ(::bind(server.get(), at, length), 0);
    });
    inside(*from.place, [&] {
      client = FileDescriptor(::socket(v6 ? AF_INET6 : AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
      ::inet_pton(v6 ? AF_INET6 : AF_INET, address.c_str(),
                  v6 ? static_cast<void*>(&at6.sin6_addr) : static_cast<void*>(&at4.sin_addr));
      EXPECT_EQ(::connect(client.get(), at, length), 0);
      EXPECT_EQ(::send(client.get(), payload.data(), payload.size(), 0),
                static_cast<ssize_t>(payload.size()));
    });
    std::string got(bytes, '\0');
    sockaddr_storage peer{};
    socklen_t size = sizeof peer;
    pollfd asked{server.get(), POLLIN, 0};
    if (::poll(&asked, 1, 3000) != 1) return false;
    if (::recvfrom(server.get(), got.data(), got.size(), 0, reinterpret_cast<sockaddr*>(&peer),
                   &size) != static_cast<ssize_t>(bytes)) {
      return false;
    }
    ::sendto(server.get(), got.data(), got.size(), 0, reinterpret_cast<sockaddr*>(&peer), size);
    pollfd told{client.get(), POLLIN, 0};
    return ::poll(&told, 1, 3000) == 1;
  }

  testkit::TempDir folder_;
  SystemFiles files_;
  SystemRandom random_;
  std::unique_ptr<PodGuard> guard_;
  int sent_ = 0;
};

struct Case {
  const char* name;
  Ether ether;
  std::string packet;
  bool passes = false;
  bool for_another = false;  // it is the receiver's port that does not take it
};

// Of pod 11, which has a packet socket, to pod 12.
std::vector<Case> all_cases(const Pod& from, const Pod& to) {
  const MacAddress own = mac(11);
  const MacAddress other = mac(12);
  const Ether v4{.to = other, .from = own, .type = kIp};
  const Ether v6{.to = other, .from = own, .type = kIp6};
  const Ether arp{.to = other, .from = own, .type = kArp};
  const Ether all{.to = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, .from = own, .type = kIp};
  const Ether group{.to = {1, 0, 0x5e, 0, 0, 1}, .from = own, .type = kIp};
  const Ether group6{.to = {0x33, 0x33, 0, 0, 0, 1}, .from = own, .type = kIp6};
  const auto to_many = [&](const char* address) {
    const bool is_v4 = ip(address).is_v4();
    return udp_packet(is_v4 ? from.v4() : from.v6(), ip(address), kPort, address);
  };
  const auto tagged = [&](Ether ether, const std::string& tags) {
    ether.tags = tags;
    return ether;
  };
  const auto udp = [&](const char* source, const char* payload) {
    return udp_packet(ip(source), ip(source).is_v4() ? to.v4() : to.v6(), kPort, payload);
  };
  const auto icmp = [&](const IpAddress& source, const char* target, uint8_t type) {
    return icmp6_packet(source, to.v6(), type, ip(target));
  };
  const auto says = [&](uint16_t operation, const MacAddress& sender_mac, const char* sender) {
    return arp_packet({operation, sender_mac, ip(sender), other, to.v4()});
  };
  const IpAddress nobody;
  return {
      {"itself", v4, udp("10.244.1.11", "itself"), true},
      {"nobody's address", v4, udp("10.244.1.77", "nobody's")},
      {"the other's address", v4, udp("10.244.1.12", "other's")},
      {"the node's address", v4, udp("10.244.1.1", "node's")},
      {"another MAC", {.to = other, .from = mac(9), .type = kIp}, udp("10.244.1.11", "other MAC")},
      {"a tag", tagged(v4, vlan_tag(ETH_P_8021Q, 0)), udp("10.244.1.11", "8021q")},
      {"a VLAN", tagged(v4, vlan_tag(ETH_P_8021Q, 5)), udp("10.244.1.11", "vlan 5")},
      {"an outer tag", tagged(v4, vlan_tag(ETH_P_8021AD, 0)), udp("10.244.1.11", "8021ad")},
      {"both tags", tagged(v4, vlan_tag(ETH_P_8021AD, 0) + vlan_tag(ETH_P_8021Q, 0)),
       udp("10.244.1.11", "both tags")},
      {"two tags", tagged(v4, vlan_tag(ETH_P_8021Q, 0) + vlan_tag(ETH_P_8021Q, 0)),
       udp("10.244.1.11", "two tags")},
      {"an old tag", tagged(v4, vlan_tag(0x9100, 0)), udp("10.244.1.11", "9100")},
      {"a tag before IPv6", tagged(v6, vlan_tag(ETH_P_8021Q, 0)), udp("fd01::b", "tagged 6")},
      {"itself by IPv6", v6, udp("fd01::b", "itself 6"), true},
      {"nobody's IPv6 address", v6, udp("fd01::77", "nobody's 6")},
      {"link-local data", v6, udp_packet(from.local(), to.local(), kPort, "link-local")},
      {"to all", all, to_many("255.255.255.255")},
      {"to all, by one MAC", v4, to_many("255.255.255.255")},
      {"to the network", all, to_many("10.244.1.255")},
      {"to the network, by one MAC", v4, to_many("10.244.1.255")},
      {"to the network, in the old way", all, to_many("10.244.1.0")},
      {"to a group", group, to_many("224.0.0.1")},
      {"to a group, by one MAC", v4, to_many("239.1.2.3")},
      {"to all by IPv6", group6, to_many("ff02::1")},
      {"to all by IPv6 and one MAC", v6, to_many("ff02::1")},
      {"to a site by IPv6", group6, to_many("ff05::2")},
      {"ping to all", group6, icmp6_packet(from.v6(), ip("ff02::1"), 128, ip("::3:1"))},
      {"a question to a group", group6, icmp6_packet(from.v6(), ip("ff02::1:ff00:c"), 135, to.v6()),
       true},
      {"I am here, to all", group6, icmp6_packet(from.v6(), ip("ff02::1"), 136, from.v6()), true},
      {"to one, by all MACs", all, udp("10.244.1.11", "all MACs"), false, true},
      {"to one by IPv6, by a group's MAC", group6, udp("fd01::b", "group MAC"), false, true},
      {"for another, by this MAC", v4, to_many("10.244.1.77"), false, true},
      {"for another by IPv6, by this MAC", v6, to_many("fd01::77"), false, true},
      {"a question to the link-local address", v6,
       icmp6_packet(from.local(), to.local(), 135, to.local()), true},
      {"ping", v6, icmp(from.v6(), "::1:1", 128), true},
      {"link-local ping", v6, icmp(from.local(), "::1:2", 128)},
      {"a question", v6, icmp(from.v6(), "fd01::c", 135), true},
      {"a link-local question", v6, icmp(from.local(), "fd01::c", 135), true},
      {"another one's question", v6, icmp(ip("fd01::77"), "fd01::c", 135)},
      {"is my address free", v6, icmp(nobody, "fd01::b", 135), true},
      {"is your address free", v6, icmp(nobody, "fd01::c", 135)},
      {"I am here", v6, icmp(from.v6(), "fd01::b", 136), true},
      {"my link-local address is here", v6, icmp(from.local(), from.local().str().c_str(), 136),
       true},
      {"the gateway is here", v6, icmp(from.v6(), "fd01::1", 136)},
      {"the gateway says that it is here", v6, icmp(ip("fd01::1"), "fd01::1", 136)},
      {"I look for routers", v6, icmp(from.local(), "::2:1", 133), true},
      {"I am a router", v6, icmp(from.local(), "::2:2", 134)},
      {"take another router", v6, icmp(from.v6(), "::2:3", 137)},
      {"I ask for groups", v6, icmp(from.local(), "::2:4", 130)},
      {"I am in groups", v6, icmp(from.local(), "::2:5", 143), true},
      {"I am in groups, without an address", v6, icmp(nobody, "::2:6", 143), true},
      {"ARP of itself", arp, says(1, own, "10.244.1.11"), true},
      {"ARP answer of itself", arp, says(2, own, "10.244.1.11"), true},
      {"ARP probe", arp, says(1, own, "0.0.0.0"), true},
      {"ARP for the gateway", arp, says(2, own, "10.244.1.1")},
      {"ARP with another MAC", arp, says(2, mac(9), "10.244.1.11")},
      {"ARP from another MAC",
       {.to = other, .from = mac(9), .type = kArp},
       says(2, own, "10.244.1.11")},
      {"something else", {.to = other, .from = own, .type = 0x88b5}, std::string(50, 'e')},
      {"a length instead of a type", {.to = other, .from = own, .type = 50}, std::string(50, 'l')},
  };
}

// Without rules nearly all of them arrive, so the test sends what it says.
TEST_F(PodGuardTest, PodsSendAsThemselvesOnly) {
  const Pod from = attach(11);
  const Pod to = attach(12);
  start();
  EXPECT_EQ(rules(), wanted({from.link(), to.link()}, {&from, &to}));
  const Wire sender(*from.place);
  const Wire receiver(*to.place);
  for (const Case& one : all_cases(from, to)) {
    SCOPED_TRACE(one.name);
    EXPECT_EQ(arrives(from, sender, to, receiver, one.ether, one.packet), one.passes);
  }
  guard_.reset();
  inside([&] { ASSERT_TRUE(remove_guard({}, clock_).ok()); });
  EXPECT_EQ(rules(), "");
  for (const Case& one : all_cases(from, to)) {
    SCOPED_TRACE(one.name);
    EXPECT_TRUE(arrives(from, sender, to, receiver, one.ether, one.packet));
  }
}

// The bridge does not pass them on, so they come by another way.
TEST_F(PodGuardTest, FramesForTheNextBridgeAreNoWayAround) {
  const Pod from = attach(11);
  const Pod to = attach(12);
  const Wire sender(*from.place);
  FileDescriptor node;
  inside([&] {
    node = FileDescriptor(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_port = htons(kPort);
    ASSERT_EQ(::bind(node.get(), reinterpret_cast<sockaddr*>(&at), sizeof at), 0);
  });
  // Whether the node receives it, though it comes with a false address.
  const auto received = [&](uint8_t forged) {
    sender.send(
        testkit::frame_of({.to = {0x01, 0x80, 0xc2, 0, 0, 2}, .from = mac(forged), .type = kIp},
                          udp_packet(ip("10.244.1.77"), ip("10.244.1.1"), kPort, "x")));
    EXPECT_TRUE(answered(from, to, "10.244.1.12")) << "what is sent behind it";
    char byte = 0;
    return ::recv(node.get(), &byte, 1, 0) == 1;
  };
  const auto learned = [&](uint8_t forged) {
    std::string text;
    inside([&] { text = shell("bridge fdb show br proa0"); });
    return text.find(netlink::mac_text(mac(forged))) != std::string::npos;
  };
  start();
  EXPECT_FALSE(received(0x21));
  EXPECT_FALSE(learned(0x21));
  guard_.reset();
  inside([&] { ASSERT_TRUE(remove_guard({}, clock_).ok()); });
  EXPECT_TRUE(received(0x22));
  EXPECT_TRUE(learned(0x22));
}

TEST_F(PodGuardTest, HonestPodsNoticeNothing) {
  const Pod a = attach(11);
  const Pod b = attach(12);
  start();
  for (const char* address : {"10.244.1.12", "fd01::c"}) {
    SCOPED_TRACE(address);
    EXPECT_TRUE(answered(a, b, address));
    EXPECT_TRUE(answered(a, b, address, 5000)) << "in parts";
  }
  EXPECT_EQ(seen_source(*a.place, *namespace_, "10.244.1.1"), a.v4().str());
  EXPECT_EQ(seen_source(*a.place, *namespace_, "fd01::1"), a.v6().str());
  EXPECT_EQ(seen_source(*namespace_, *b.place, "10.244.1.12"), "10.244.1.1");
  EXPECT_EQ(seen_source(*namespace_, *b.place, "fd01::c"), "fd01::1");
  // Through a Service: to another pod, and to the caller itself.
  inside([&] {
    shell(
        "nft 'table ip services { chain in { type nat hook prerouting priority dstnat; ip daddr "
        "10.96.0.11 dnat to 10.244.1.11; ip daddr 10.96.0.12 dnat to 10.244.1.12; }; chain out { "
        "type nat hook postrouting priority srcnat; ip saddr 10.244.1.11 ip daddr 10.244.1.11 "
        "masquerade; }; }'");
  });
  EXPECT_TRUE(answered(a, b, "10.96.0.12"));
  EXPECT_TRUE(answered(a, a, "10.96.0.11"));
  // Neighbours that are forgotten are found again, and a link that looks for duplicates of its
  // addresses gets them.
  inside(*b.place, [&] {
    shell(
        "ip neighbour flush all; ip link set eth0 down; echo 1 "
        ">/proc/sys/net/ipv6/conf/eth0/accept_dad; ip link set eth0 up; ip address add fd01::c/64 "
        "dev eth0; ip route add default via 10.244.1.1; ip route add default via fd01::1");
    EXPECT_TRUE(holds_within(seconds(20),
                             [&] { return shell("ip -6 address show dev eth0 tentative") == ""; }));
    EXPECT_EQ(shell("ip -6 address show dev eth0 dadfailed"), "");
  });
  EXPECT_TRUE(answered(a, b, "fd01::c"));
  EXPECT_TRUE(answered(b, a, "fd01::b"));
}

TEST_F(PodGuardTest, FollowsPortsAndPods) {
  PodGuard& guard = start();
  EXPECT_EQ(rules(), "") << "without ports there is nothing to guard";
  const Pod a = attach(11);
  ASSERT_TRUE(guard.prepare({a.v4(), a.v6()}).ok());
  EXPECT_EQ(rules(), wanted({a.link()}, {&a}));
  // Not announced.
  const Pod b = attach(12);
  EXPECT_TRUE(holds_within(seconds(20), [&] {
    return rules() == wanted({a.link(), b.link()}, {&a, &b});
  }));
  // Nothing tells whose it is.
  const Pod c = attach(13, false);
  ASSERT_TRUE(guard.prepare({c.v4()}).ok());
  const std::set<std::string> ports = {a.link(), b.link(), c.link()};
  EXPECT_EQ(rules(), wanted(ports, {&a, &b}));
  tell(c);
  EXPECT_TRUE(holds_within(seconds(20), [&] { return rules() == wanted(ports, {&a, &b, &c}); }));
  // Its file is not all that says so.
  ASSERT_TRUE(files_.remove(folder_.file(file_of(b))).ok());
  ASSERT_TRUE(guard.prepare({b.v4()}).ok());
  EXPECT_EQ(rules(), wanted(ports, {&a, &b, &c}));
  inside([&] { shell("ip link delete " + b.link()); });
  EXPECT_TRUE(holds_within(seconds(20), [&] {
    return rules() == wanted({a.link(), c.link()}, {&a, &c});
  }));
  inside([&] { shell("ip link delete " + a.link() + "; ip link delete " + c.link()); });
  EXPECT_TRUE(holds_within(seconds(20), [&] { return rules() == ""; }));
}

TEST_F(PodGuardTest, PortsOfOthersAreGuardedFromTagsOnly) {
  const Pod from = attach(11, false);
  const Pod to = attach(12);
  start();
  const Wire sender(*from.place);
  const Wire receiver(*to.place);
  for (const Case& one : all_cases(from, to)) {
    SCOPED_TRACE(one.name);
    EXPECT_EQ(arrives(from, sender, to, receiver, one.ether, one.packet),
              one.ether.tags.empty() && !one.for_another);
  }
}

TEST_F(PodGuardTest, ComesBackAndLeavesOthersAlone) {
  const Pod a = attach(11);
  const std::string whole = wanted({a.link()}, {&a});
  const std::string others = "table bridge others {\n\tchain c {\n\t\taccept\n\t}\n}\n";
  inside([&] { shell("nft 'table bridge others { chain c { accept; }; }'"); });
  start();
  EXPECT_EQ(rules(), whole);
  for (const char* disturbance :
       {"delete table bridge proa-network", "flush chain bridge proa-network pod",
        "flush set bridge proa-network own", "flush map bridge proa-network ports"}) {
    SCOPED_TRACE(disturbance);
    inside([&] { shell(std::string("nft ") + disturbance); });
    EXPECT_TRUE(holds_within(seconds(20), [&] { return rules() == whole; }));
  }
  // Rules stay without the process, and the next one takes them over.
  guard_.reset();
  EXPECT_EQ(rules(), whole);
  start();
  EXPECT_EQ(rules(), whole);
  guard_.reset();
  inside([&] {
    ASSERT_TRUE(remove_guard({}, clock_).ok());
    EXPECT_EQ(shell("nft list ruleset"), others);
    EXPECT_TRUE(remove_guard({}, clock_).ok());
  });
}

TEST(PodPorts, AreTheLinksThatAreOnTheBridge) {
  const std::map<std::string, AttachedPod> pods = {
      {"f1", {.links = {"proa0", "veth1", "bwp1"}, .mac = mac(1), .addresses = {ip("10.0.0.1")}}},
      {"f2", {.links = {"veth2"}, .mac = mac(2), .addresses = {ip("10.0.0.2")}}}};
  const std::vector<PodPort> found = pod_ports({"veth1", "veth3"}, pods);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0], (PodPort{"veth1", mac(1), {ip("10.0.0.1")}}));
}

}  // namespace
}  // namespace proa::network
