#include "netlink/conntrack/conntrack.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>

#include "testkit/netlink/namespace_test_base.h"

namespace proa::netlink {
namespace {

class ConntrackTest : public testkit::NamespaceTest {
 protected:
  // Connections are tracked once a rule asks for it.
  void track() {
    shell("ip link set lo up");
    shell(
        "nft add table inet t; nft 'add chain inet t o { type nat hook output priority -100; }';"
        "nft add rule inet t o ip daddr 127.0.0.9 udp dport 53 dnat ip to 127.0.0.1:5353; nft add "
        "rule inet t o ct state new counter");
  }

  static FileDescriptor send_udp(const char* address, uint16_t port) {
    const bool v6 = std::string_view(address).find(':') != std::string_view::npos;
    FileDescriptor file(::socket(v6 ? AF_INET6 : AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    sockaddr_in to4{};
    to4.sin_family = AF_INET;
    to4.sin_port = htons(port);
    sockaddr_in6 to6{};
    to6.sin6_family = AF_INET6;
    to6.sin6_port = htons(port);
    EXPECT_EQ(v6 ? ::inet_pton(AF_INET6, address, &to6.sin6_addr)
                 : ::inet_pton(AF_INET, address, &to4.sin_addr),
              1);
    const auto* to =
        v6 ? reinterpret_cast<const sockaddr*>(&to6) : reinterpret_cast<const sockaddr*>(&to4);
    EXPECT_EQ(::sendto(file.get(), "x", 1, 0, to, v6 ? sizeof to6 : sizeof to4), 1);
    return file;
  }
};

TEST_F(ConntrackTest, ListsAndRemovesByFilter) {
  inside([&] {
    track();
    std::vector<FileDescriptor> senders;
    for (int i = 0; i < 5; ++i) senders.push_back(send_udp("127.0.0.9", 53));
    for (int i = 0; i < 3; ++i) senders.push_back(send_udp("127.0.0.8", 53));
    senders.push_back(send_udp("::1", 53));
    Conntrack conntrack = Conntrack::open(clock_).value();
    const auto all = conntrack.flows(false);
    ASSERT_TRUE(all.ok()) << all.status().message();
    EXPECT_EQ(all->size(), 8u);
    EXPECT_EQ(conntrack.flows(true)->size(), 1u);

    const FlowFilter service{.protocol = IPPROTO_UDP,
                             .original_destination = parse_ip("127.0.0.9"),
                             .original_port = 53};
    const auto flows = conntrack.flows(false, service);
    ASSERT_TRUE(flows.ok()) << flows.status().message();
    ASSERT_EQ(flows->size(), 5u);
    EXPECT_EQ((*flows)[0].reply.source.str(), "127.0.0.1");
    EXPECT_EQ((*flows)[0].reply.source_port, 5353);

    // By the endpoint alone, without a protocol; then with a port that fits nothing.
    EXPECT_EQ(conntrack.flows(false, {.reply_source = parse_ip("127.0.0.1")})->size(), 5u);
    EXPECT_EQ(conntrack.flows(false, {.original_port = 54})->size(), 0u);
    EXPECT_EQ(conntrack.flows(false, {.protocol = IPPROTO_TCP})->size(), 0u);

    const uint16_t kept = (*flows)[2].original.source_port;
    const auto removed = conntrack.remove(
        false, service, [&](const Flow& flow) { return flow.original.source_port != kept; });
    ASSERT_TRUE(removed.ok()) << removed.status().message();
    EXPECT_EQ(*removed, 4u);
    ASSERT_EQ(conntrack.flows(false, service)->size(), 1u);
    EXPECT_EQ(conntrack.flows(false)->size(), 4u);
    EXPECT_EQ(conntrack.remove(false, {.protocol = IPPROTO_UDP}).value(), 4u);
    EXPECT_EQ(conntrack.remove(true, {.original_destination = parse_ip("::1")}).value(), 1u);
    EXPECT_EQ(conntrack.remove(false, {}).value(), 0u);
  });
}

TEST_F(ConntrackTest, RemovesMoreThanOneBatch) {
  inside([&] {
    track();
    std::vector<FileDescriptor> senders;
    for (uint16_t port = 1; port <= 2500; ++port) {
      if (senders.size() == 200) senders.clear();
      senders.push_back(send_udp("127.0.0.9", static_cast<uint16_t>(port + 1000)));
    }
    Conntrack conntrack = Conntrack::open(clock_).value();
    EXPECT_EQ(conntrack.remove(false, {.protocol = IPPROTO_UDP}).value(), 2500u);
    EXPECT_EQ(conntrack.flows(false)->size(), 0u);
  });
}

}  // namespace
}  // namespace proa::netlink
