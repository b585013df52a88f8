#include "http/client/pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>

#include "http/client/client.h"
#include "testkit/http/test_server.h"

namespace proa::http {
namespace pool_test {

using namespace std::chrono_literals;
using testkit::TestServer;

// The pool over TLS, against our own server.
class PoolTest : public testing::Test {
 protected:
  Until soon() { return Until::after(clock, 20s); }
  static std::shared_ptr<const TlsContext> context(TlsOptions options = {}) {
    if (options.roots_pem.empty()) options.roots_pem = testkit::test_authority().certificate_pem;
    auto made = TlsContext::client(options);
    EXPECT_TRUE(made.ok());
    return *made;
  }
  static ClientOptions with(std::shared_ptr<const TlsContext> tls) {
    ClientOptions options;
    options.pool.tls = std::move(tls);
    return options;
  }
  static ClientRequest get(const TestServer& server) {
    return {.origin = {.tls = true, .host = "127.0.0.1", .port = server.port()},
            .headers = {},
            .body = {}};
  }

  SystemClock clock;
  LoopGroup loops{2};
  Client client{loops, clock, with(context())};
};

void answer_version(const ExchangePtr& exchange) {
  exchange->respond(
      {200, {}, Bytes::of_static(exchange->request().version == Version::kHttp2 ? "2" : "1"), {}});
}

TEST_F(PoolTest, SpeaksWhatTlsAgreedOn) {
  TestServer server(answer_version);
  const auto response = client.send(get(server), soon());
  ASSERT_TRUE(response.ok()) << response.status().message();
  EXPECT_EQ(response->body.view(), "2");

  Client old(loops, clock, with(context({.http2 = false})));
  EXPECT_EQ(old.send(get(server), soon())->body.view(), "1");

  ClientRequest request = get(server);
  request.origin.protocol = HttpProtocol::kHttp1;
  EXPECT_EQ(client.send(request, soon())->body.view(), "1");
  request.origin.protocol = HttpProtocol::kHttp2;
  const auto refused = old.send(request, soon());
  ASSERT_TRUE(refused.is(Reason::kServiceUnavailable));
  EXPECT_NE(refused.status().message().find("does not support HTTP/2"), std::string::npos);
}

TEST_F(PoolTest, SharesAConnectionAmongThreads) {
  TestServer server(testkit::echo);
  std::atomic<int> good = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 8; ++t) {
      threads.emplace_back([&, t] {
        ClientRequest request = get(server);
        request.method = "POST";
        for (int i = 0; i < 20; ++i) {
          request.body = Bytes(std::string(static_cast<size_t>(i * 5000 + t), 'x'));
          const auto response = client.send(request, soon());
          if (response.ok() && response->body == request.body) ++good;
        }
      });
    }
  }
  EXPECT_EQ(good, 160);
  EXPECT_EQ(client.connections(), 1U);
}

TEST_F(PoolTest, TrustsOnlyWhomItWasToldTo) {
  TestServer server(testkit::echo);
  // An authority that signed nothing, and a name that the certificate is not for.
  Client stranger(loops, clock,
                  with(context({.roots_pem = testkit::test_client_key().certificate_pem})));
  const auto refused = stranger.send(get(server), soon());
  ASSERT_TRUE(refused.is(Reason::kServiceUnavailable));
  EXPECT_NE(refused.status().message().find("connecting to 127.0.0.1:"), std::string::npos);
  EXPECT_NE(refused.status().message().find("certificate refused"), std::string::npos);

  ClientRequest request = get(server);
  request.origin.server_name = "other.example";
  EXPECT_FALSE(client.send(request, soon()).ok());
  request.origin.server_name = "localhost";
  EXPECT_TRUE(client.send(request, soon()).ok());

  Client without(loops, clock, {});
  EXPECT_TRUE(without.send(get(server), soon()).is(Reason::kServiceUnavailable));
}

TEST_F(PoolTest, NewCertificatesAreShownFromTheNextCallOn) {
  TestServer server([](const ExchangePtr& exchange) {
    const bool shown = !exchange->peer().certificates.chain_der.empty();
    exchange->respond({200, {}, Bytes::of_static(shown ? "shown" : "none"), {}});
  });
  EXPECT_EQ(client.send(get(server), soon())->body.view(), "none");
  const auto& key = testkit::test_client_key();
  client.set_tls(
      context({.certificate_pem = key.certificate_pem, .private_key_pem = key.private_key_pem}));
  EXPECT_EQ(client.send(get(server), soon())->body.view(), "shown");
  EXPECT_EQ(client.connections(), 1U);
}

TEST_F(PoolTest, UpgradesOverTlsAlthoughHttp2IsOffered) {
  std::promise<std::unique_ptr<Socket>> taken;
  TestServer server([&](const ExchangePtr& exchange) {
    exchange->upgrade(
        {{"upgrade", "SPDY/3.1"}, {"connection", "Upgrade"}},
        [&](std::unique_ptr<Socket> socket, std::string) { taken.set_value(std::move(socket)); });
  });
  ClientRequest request = get(server);
  request.headers.add("upgrade", "SPDY/3.1");
  std::promise<std::string> outcome;
  client.upgrade(loops.at(1), request, 20s, [&](Result<Upgraded> result) {
    outcome.set_value(result.ok() ? std::to_string(result->head.status)
                                  : result.status().message());
  });
  EXPECT_EQ(outcome.get_future().get(), "101");
  auto socket = taken.get_future().get();
  Loop& loop = socket->loop();
  loop.run_and_wait([&] { socket.reset(); });
}

}  // namespace pool_test
}  // namespace proa::http
