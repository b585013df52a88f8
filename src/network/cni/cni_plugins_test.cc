// What the plugins of the system make of our configuration.

#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/icmp6.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <gtest/gtest.h>

#include <filesystem>
#include <thread>

#include "json/parse.h"
#include "json/print.h"
#include "network/cni/cni_config.h"
#include "testkit/netlink/namespace_test_base.h"
#include "testkit/patience.h"
#include "testkit/process.h"

namespace proa::network {
namespace {

constexpr const char* kPlugins = "/usr/lib/cni";

class CniPluginsTest : public testkit::NamespaceTest {
 protected:
  void SetUp() override {
    NamespaceTest::SetUp();
    if (!std::filesystem::exists(std::string(kPlugins) + "/bridge")) {
      GTEST_SKIP() << "containernetworking-plugins is not installed";
    }
  }

  // Calls the plugins up to the bridge as a runtime does. In the namespace of the node.
  void add(const netlink::NetworkNamespace& pod, const std::string& id) {
    CniSetup setup;
    setup.state = folder_.file("state");
    setup.ranges = {parse_prefix("10.244.1.0/24").value(), parse_prefix("fd01::/64").value()};
    const auto config = json::parse(cni_config(setup));
    std::string result;
    for (const json::Value& plugin : config.value().root().find("plugins")->items()) {
      const std::string type(plugin.find("type")->as_string());
      const std::string before = result.empty() ? "" : R"("prevResult":)" + result + ",";
      const std::string input = folder_.write(
          "input", R"({"cniVersion":"1.0.0","name":"proa",)" + before + print(plugin).substr(1));
      result = shell("CNI_COMMAND=ADD CNI_IFNAME=eth0 CNI_PATH=" + std::string(kPlugins) +
                     " CNI_CONTAINERID=" + id + " CNI_NETNS=/proc/" + std::to_string(::getpid()) +
                     "/fd/" + std::to_string(pod.descriptor()) + " " + kPlugins + "/" + type +
                     " <" + input);
      if (type == "bridge") return;
    }
  }

  testkit::TempDir folder_;
};

// Tells all hosts on the link, until it is stopped, that this one is a router. A link that comes up
// has no address for a moment, so failures are ignored.
void advertise(const std::stop_token& stop) {
  const FileDescriptor sender(::socket(AF_INET6, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_ICMPV6));
  const int hops = 255;
  ::setsockopt(sender.get(), IPPROTO_IPV6, IPV6_MULTICAST_HOPS, &hops, sizeof hops);
  nd_router_advert message{};
  message.nd_ra_type = ND_ROUTER_ADVERT;
  message.nd_ra_router_lifetime = htons(1800);
  sockaddr_in6 everyone{};
  everyone.sin6_family = AF_INET6;
  everyone.sin6_scope_id = ::if_nametoindex("eth0");
  ::inet_pton(AF_INET6, "ff02::1", &everyone.sin6_addr);
  while (!stop.stop_requested()) {
    static_cast<void>(::sendto(sender.get(), &message, sizeof message, 0,
                               reinterpret_cast<const sockaddr*>(&everyone), sizeof everyone));
    std::this_thread::yield();
  }
}

TEST_F(CniPluginsTest, PodsIgnoreRouterAdvertisementsFromTheirFirstMoment) {
  const auto router = make_namespace();
  const auto pod = make_namespace();
  // So that it may send at once.
  inside(*router, [&] { shell("echo 0 >/proc/sys/net/ipv6/conf/default/accept_dad"); });
  inside([&] {
    shell("ip link set lo up");
    add(*router, "router");
  });
  std::jthread sending(
      [&](const std::stop_token& stop) { inside(*router, [&] { advertise(stop); }); });
  inside([&] { add(*pod, "pod"); });
  inside(*pod, [&] {
    EXPECT_TRUE(testkit::holds_within(std::chrono::seconds(20), [&] {
      return shell("awk '/Icmp6InRouterAdvertisements/ {print $2}' /proc/net/snmp6") != "0\n";
    }));
    EXPECT_EQ(shell("ip -6 route show proto ra"), "");
    EXPECT_EQ(shell("cat /proc/sys/net/ipv6/conf/eth0/accept_ra"), "0\n");
  });
}

}  // namespace
}  // namespace proa::network
