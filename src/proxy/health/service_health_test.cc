#include "proxy/health/service_health.h"

#include <gtest/gtest.h>

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

class ServiceHealthTest : public ::testing::Test {
 protected:
  void set(std::map<client::Key, Tracker::Health> wanted) {
    servers_.set(wanted, {parse_ip("127.0.0.1").value()});
  }

  testkit::FakeClock clock_;
  ProxyHealth health_{clock_};
  http::LoopGroup loops_{1};
  std::vector<uint16_t> failed_;
  ServiceHealth servers_{loops_, health_, [this](const client::Key&, uint16_t port, const Status&) {
                           failed_.push_back(port);
                         }};
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

}  // namespace
}  // namespace proa::proxy
