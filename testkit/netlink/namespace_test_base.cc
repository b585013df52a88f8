#include "testkit/netlink/namespace_test_base.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <cstring>

#include "base/files.h"
#include "base/net/ip_address.h"
#include "base/process/spawn.h"

namespace proa::testkit {
namespace namespace_test_base {

constexpr uint16_t kPort = 7777;
constexpr int kPatience = 2000;  // milliseconds

struct Endpoint {
  sockaddr_storage storage{};
  socklen_t length = 0;
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
};

Endpoint endpoint_of(const std::string& address) {
  Endpoint endpoint;
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  v4.sin_port = htons(kPort);
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  v6.sin6_port = htons(kPort);
  if (::inet_pton(AF_INET, address.c_str(), &v4.sin_addr) == 1) {
    std::memcpy(&endpoint.storage, &v4, sizeof v4);
    endpoint.length = sizeof v4;
  } else {
    EXPECT_EQ(::inet_pton(AF_INET6, address.c_str(), &v6.sin6_addr), 1) << address;
    std::memcpy(&endpoint.storage, &v6, sizeof v6);
    endpoint.length = sizeof v6;
  }
  return endpoint;
}

std::string text_of(const sockaddr_storage& storage) {
  char text[INET6_ADDRSTRLEN] = "";
  if (storage.ss_family == AF_INET) {
    ::inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(&storage)->sin_addr, text,
                sizeof text);
  } else {
    ::inet_ntop(AF_INET6, &reinterpret_cast<const sockaddr_in6*>(&storage)->sin6_addr, text,
                sizeof text);
  }
  return text;
}

}  // namespace namespace_test_base

void NamespaceTest::SetUp() {
  auto made = netlink::NetworkNamespace::create();
  if (made.is(Reason::kForbidden)) GTEST_SKIP() << made.status().message();
  ASSERT_TRUE(made.ok()) << made.status().message();
  namespace_ = std::make_unique<netlink::NetworkNamespace>(std::move(*made));
}

std::unique_ptr<netlink::NetworkNamespace> NamespaceTest::make_namespace() {
  return std::make_unique<netlink::NetworkNamespace>(netlink::NetworkNamespace::create().value());
}

void NamespaceTest::inside(const netlink::NetworkNamespace& place,
                           const std::function<void()>& body) {
  const auto done = place.run([&]() -> Result<void> {
    body();
    return {};
  });
  ASSERT_TRUE(done.ok()) << done.status().message();
}

std::string NamespaceTest::shell(const std::string& command) {
  const auto outcome =
      run_to_end({"/bin/sh", "-c", command}, {}, clock_, std::chrono::seconds(30), 1 << 20);
  if (!outcome.ok()) {
    ADD_FAILURE() << command << ": " << outcome.status().message();
    return {};
  }
  EXPECT_EQ(outcome->exit_code, 0) << command << ":\n" << outcome->output;
  return outcome->output;
}

std::string NamespaceTest::seen_source(const netlink::NetworkNamespace& from,
                                       const netlink::NetworkNamespace& to,
                                       const std::string& address, size_t bytes) {
  namespace parts = namespace_test_base;
  const parts::Endpoint endpoint = parts::endpoint_of(address);
  FileDescriptor receiver;
  inside(to, [&] {
    receiver = FileDescriptor(
        ::socket(endpoint.storage.ss_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    EXPECT_EQ(::bind(receiver.get(), endpoint.get(), endpoint.length), 0) << address;
  });
  inside(from, [&] {
    const FileDescriptor sender(::socket(endpoint.storage.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    const std::string payload(bytes, 'x');
    static_cast<void>(
        ::sendto(sender.get(), payload.data(), payload.size(), 0, endpoint.get(), endpoint.length));
  });
  pollfd waiting{receiver.get(), POLLIN, 0};
  if (::poll(&waiting, 1, parts::kPatience) <= 0) return {};
  std::string payload(bytes + 1, '\0');
  sockaddr_storage source{};
  socklen_t length = sizeof source;
  const ssize_t got = ::recvfrom(receiver.get(), payload.data(), payload.size(), 0,
                                 reinterpret_cast<sockaddr*>(&source), &length);
  EXPECT_EQ(got, static_cast<ssize_t>(bytes));
  return parts::text_of(source);
}

}  // namespace proa::testkit
