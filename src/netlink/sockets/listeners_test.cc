#include "netlink/sockets/listeners.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>

#include "base/files.h"
#include "testkit/netlink/namespace_test_base.h"

namespace proa::netlink {
namespace {

class ListenersTest : public testkit::NamespaceTest {
 protected:
  void SetUp() override {
    NamespaceTest::SetUp();
    if (IsSkipped()) return;
    inside([&] { shell("ip link set lo up"); });
  }
  static FileDescriptor listen_at(int type, const char* address, uint16_t port,
                                  bool v6_only = false) {
    sockaddr_in6 v6{};
    sockaddr_in v4{};
    const bool is_v4 = inet_pton(AF_INET, address, &v4.sin_addr) == 1;
    v4.sin_family = AF_INET;
    v6.sin6_family = AF_INET6;
    v4.sin_port = v6.sin6_port = htons(port);
    const bool is_v6 = inet_pton(AF_INET6, address, &v6.sin6_addr) == 1;
    EXPECT_NE(is_v4, is_v6);
    FileDescriptor made(::socket(is_v4 ? AF_INET : AF_INET6, type | SOCK_CLOEXEC, 0));
    const int on = v6_only ? 1 : 0;
    if (!is_v4) ::setsockopt(made.get(), IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
    const auto* at =
        is_v4 ? reinterpret_cast<const sockaddr*>(&v4) : reinterpret_cast<const sockaddr*>(&v6);
    EXPECT_EQ(::bind(made.get(), at, is_v4 ? sizeof v4 : sizeof v6), 0);
    if (type == SOCK_STREAM) {
      EXPECT_EQ(::listen(made.get(), 1), 0);
    }
    return made;
  }
};

IpAddress ip(const char* text) { return parse_ip(text).value(); }

TEST_F(ListenersTest, AreThoseOfTheNamespace) {
  inside([&] {
    const FileDescriptor files[] = {
        listen_at(SOCK_STREAM, "0.0.0.0", 22), listen_at(SOCK_STREAM, "::", 80),
        listen_at(SOCK_STREAM, "::1", 81, true), listen_at(SOCK_DGRAM, "127.0.0.1", 53),
        listen_at(SOCK_DGRAM, "::", 54, true)};
    Result<std::vector<Listener>> found = find_listeners(clock_);
    if (found.is(Reason::kNotFound)) GTEST_SKIP() << "this kernel does not tell";
    ASSERT_TRUE(found) << found.status().message();
    std::sort(found->begin(), found->end(),
              [](const Listener& a, const Listener& b) { return a.port < b.port; });
    const std::vector<Listener> expected = {{IPPROTO_TCP, ip("0.0.0.0"), 22, false},
                                            {IPPROTO_UDP, ip("127.0.0.1"), 53, false},
                                            {IPPROTO_UDP, ip("::"), 54, true},
                                            {IPPROTO_TCP, ip("::"), 80, false},
                                            {IPPROTO_TCP, ip("::1"), 81, true}};
    EXPECT_EQ(*found, expected);
  });
}

TEST(Listener, HearsWhatIsSentToItsAddress) {
  const Listener any4{IPPROTO_TCP, ip("0.0.0.0"), 22, false};
  const Listener any6{IPPROTO_TCP, ip("::"), 22, true};
  const Listener any{IPPROTO_TCP, ip("::"), 22, false};
  const Listener loopback{IPPROTO_TCP, ip("127.0.0.1"), 22, false};
  EXPECT_TRUE(any4.hears(ip("192.0.2.1")));
  EXPECT_FALSE(any4.hears(ip("2001:db8::1")));
  EXPECT_FALSE(any6.hears(ip("192.0.2.1")));
  EXPECT_TRUE(any6.hears(ip("2001:db8::1")));
  EXPECT_TRUE(any.hears(ip("192.0.2.1")));
  EXPECT_FALSE(loopback.hears(ip("192.0.2.1")));
  EXPECT_TRUE(loopback.hears(ip("127.0.0.1")));
}

}  // namespace
}  // namespace proa::netlink
