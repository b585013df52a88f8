#include "proxy/health/service_health.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include "base/files.h"
#include "http/net/endpoint.h"
#include "proxy/health/proxy_servers.h"
#include "testkit/fake_clock.h"
#include "testkit/http/raw_client.h"
#include "testkit/http/test_server.h"

namespace proa::proxy {
namespace {

const client::Key kKey{.name_space = "default", .name = "web"};

// One that nobody listens at.
uint16_t free_port() {
  return static_cast<uint16_t>(testkit::TestServer(testkit::echo, false).port());
}

http::Response ask(uint16_t port) {
  testkit::RawClient client(port);
  client.send("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  return client.receive_response();
}

bool accepts(const std::string& address, int port) {
  const auto to = http::to_socket_address({.address = address, .port = port, .unix_path = {}});
  const FileDescriptor socket(::socket(to->storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  return ::connect(socket.get(), to->raw(), to->size) == 0;
}

class ServiceHealthTest : public ::testing::Test {
 protected:
  void set(std::map<client::Key, Tracker::Health> wanted) {
    servers_.set(wanted, {parse_ip("127.0.0.1").value()});
  }

  static http::ServerLimits few_connections() {
    http::ServerLimits limits;
    limits.connections = kMost;
    return limits;
  }

  testkit::FakeClock clock_;
  ProxyHealth health_{clock_};
  http::LoopGroup loops_{1};
  testkit::FunctionHandler nobody_{testkit::echo};
  static constexpr size_t kMost = 8;
  http::Server server_{loops_, nobody_, few_connections()};
  std::vector<uint16_t> failed_;
  ServiceHealth servers_{
      server_, health_,
      [this](const client::Key&, uint16_t port, const Status&) { failed_.push_back(port); }};
};

TEST_F(ServiceHealthTest, TellsHowManyEndpointsAreLocal) {
  const uint16_t port = free_port();
  set({{kKey, {.port = port, .local_ready = {2, 0}}}});
  const http::Response response = ask(port);
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.headers.get("x-load-balancing-endpoint-weight"), "2");
  EXPECT_EQ(response.body.view(),
            "{\n\t\"service\": {\n\t\t\"namespace\": \"default\",\n\t\t\"name\": \"web\"\n\t},\n"
            "\t\"localEndpoints\": 2,\n\t\"serviceProxyHealthy\": true\n}");
  set({{kKey, {.port = port, .local_ready = {0, 0}}}});
  EXPECT_EQ(ask(port).status, 503);
}

TEST_F(ServiceHealthTest, ListensOnlyWhileTheServiceIsThere) {
  const uint16_t port = free_port();
  set({{kKey, {.port = port, .local_ready = {1, 0}}}});
  EXPECT_TRUE(testkit::RawClient(port).connected());
  set({});
  EXPECT_FALSE(testkit::RawClient(port).connected());
}

TEST_F(ServiceHealthTest, AllServicesHaveOneLimitOfConnections) {
  std::map<client::Key, Tracker::Health> wanted;
  for (const char* name : {"a", "b", "c"}) {
    wanted[{.name_space = "default", .name = name}] = {.port = free_port(), .local_ready = {1, 0}};
  }
  set(wanted);
  std::vector<std::unique_ptr<testkit::RawClient>> idle;
  for (const auto& [key, health] : wanted) {
    for (size_t i = 0; i < 2 * kMost; ++i) {
      idle.push_back(std::make_unique<testkit::RawClient>(health.port));
      idle.back()->send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
      EXPECT_EQ(idle.back()->receive_response().status, 200);
    }
  }
  EXPECT_LE(server_.connections(), kMost);
  // Those of other Services make room.
  EXPECT_EQ(idle.front()->receive_all(), "");
  EXPECT_EQ(ask(wanted.begin()->second.port).status, 200);
}

TEST(OpenLimits, AreASmallPartOfTheDescriptors) {
  for (const size_t descriptors : {size_t{1024}, size_t{20'000}, size_t{1'048'576}}) {
    const auto limits = open_limits({.descriptors = descriptors, .memory = size_t{16} << 30});
    EXPECT_GT(limits.connections, 50u);
    EXPECT_LE(limits.connections, 512u);
    EXPECT_LT(limits.connections + http::spare_connections(limits.connections), descriptors / 8);
  }
}

TEST_F(ServiceHealthTest, SaysThatAPortIsInUseAndTriesAgain) {
  uint16_t port = 0;
  {
    testkit::TestServer other(testkit::echo, false);
    port = static_cast<uint16_t>(other.port());
    set({{kKey, {.port = port, .local_ready = {1, 0}}}});
    EXPECT_EQ(failed_, std::vector{port});
  }
  set({{kKey, {.port = port, .local_ready = {1, 0}}}});
  EXPECT_EQ(ask(port).status, 200);
}

TEST_F(ServiceHealthTest, ListensWhereItCan) {
  const uint16_t port = free_port();
  const std::map<client::Key, Tracker::Health> wanted = {
      {kKey, {.port = port, .local_ready = {1, 0}}}};
  // The first one is not of this machine.
  servers_.set(wanted, {parse_ip("192.0.2.77").value(), parse_ip("127.0.0.1").value()});
  EXPECT_EQ(failed_, std::vector{port});
  EXPECT_EQ(ask(port).status, 200);
}

TEST_F(ServiceHealthTest, ListensAtAddressesOfTheServicesFamilies) {
  const uint16_t port = free_port();
  const auto set_families = [&](std::array<bool, 2> families, const std::vector<IpAddress>& where) {
    servers_.set({{kKey, {.port = port, .local_ready = {1, 1}, .families = families}}}, where);
  };
  const std::vector some = {parse_ip("::1").value(), parse_ip("fe80::77").value(),
                            parse_ip("127.0.0.1").value()};
  for (const auto& where : {ServiceHealth::everywhere(), some}) {
    set_families({true, true}, where);
    EXPECT_TRUE(accepts("127.0.0.1", port));
    EXPECT_TRUE(accepts("::1", port));
    set_families({true, false}, where);
    EXPECT_TRUE(accepts("127.0.0.1", port));
    EXPECT_FALSE(accepts("::1", port));
    set_families({false, true}, where);
    EXPECT_FALSE(accepts("127.0.0.1", port));
    EXPECT_TRUE(accepts("::1", port));
  }
  set_families({true, true}, {});
  EXPECT_FALSE(accepts("127.0.0.1", port));
  EXPECT_TRUE(failed_.empty());
}

}  // namespace
}  // namespace proa::proxy
