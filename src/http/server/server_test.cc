#include "http/server/server.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <stdexcept>
#include <thread>

#include "testkit/http/http2_client.h"
#include "testkit/http/inbox.h"
#include "testkit/http/raw_client.h"
#include "testkit/http/test_server.h"

namespace proa::http {
namespace server_test {

using testkit::Inbox;
using testkit::RawClient;
using testkit::TestServer;

constexpr std::string_view kGet = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

void hello(ExchangePtr exchange) { exchange->respond({200, {}, Bytes::of_static("hello"), {}}); }

TEST(Server, SaysWhyItCanNotListen) {
  LoopGroup loops(1);
  testkit::FunctionHandler handler(hello);
  Server server(loops, handler);
  const auto first = server.listen({"127.0.0.1", 0, {}});
  ASSERT_TRUE(first.ok());
  const auto second = server.listen(*first);
  ASSERT_FALSE(second.ok());
  EXPECT_NE(second.status().message().find(first->str()), std::string::npos)
      << second.status().message();
  EXPECT_FALSE(server.listen({"not an address", 1, {}}).ok());
  EXPECT_FALSE(server.listen({{}, 0, std::string(200, 'p')}).ok());
}

TEST(Server, ListensOnSeveralAddressesAndUnixSockets) {
  LoopGroup loops(2);
  testkit::FunctionHandler handler(hello);
  const std::string path =
      testing::TempDir() + "proa-server-test-" + std::to_string(::getpid()) + ".sock";
  {
    Server server(loops, handler);
    const auto first = server.listen({"127.0.0.1", 0, {}});
    const auto second = server.listen({"127.0.0.1", 0, {}});
    ASSERT_TRUE(first.ok() && second.ok());
    ASSERT_TRUE(server.listen({{}, 0, path}).ok());
    for (const int port : {first->port, second->port}) {
      RawClient client(port);
      client.send(kGet);
      EXPECT_EQ(client.receive_response().status, 200);
    }
    EXPECT_EQ(::access(path.c_str(), F_OK), 0);
  }
  EXPECT_NE(::access(path.c_str(), F_OK), 0);
}

// Whether something accepts connections at the port of a loopback address.
bool accepts(const std::string& address, int port) {
  const auto to = to_socket_address({address, port, {}});
  const int descriptor = ::socket(to->storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const bool connected = ::connect(descriptor, to->raw(), to->size) == 0;
  ::close(descriptor);
  return connected;
}

TEST(Server, ListensOnAllAddressesOfBothFamiliesWhereAsked) {
  LoopGroup loops(1);
  testkit::FunctionHandler handler(hello);
  Server server(loops, handler);
  const auto one = server.listen({"0.0.0.0", 0, {}});
  ASSERT_TRUE(one.ok());
  EXPECT_TRUE(accepts("127.0.0.1", one->port));
  EXPECT_FALSE(accepts("::1", one->port));
  const auto probe = server.listen({"::1", 0, {}});
  if (!probe.ok()) GTEST_SKIP() << "no IPv6 here";
  const auto v6 = server.listen({"::", 0, {}});
  ASSERT_TRUE(v6.ok());
  EXPECT_TRUE(accepts("::1", v6->port));
  EXPECT_FALSE(accepts("127.0.0.1", v6->port));
  for (const std::string address : {"0.0.0.0", "::"}) {
    SCOPED_TRACE(address);
    const auto both =
        server.listen({.address = address, .port = 0, .unix_path = {}, .both_families = true});
    ASSERT_TRUE(both.ok());
    EXPECT_EQ(both->address, address);
    EXPECT_TRUE(accepts("127.0.0.1", both->port));
    EXPECT_TRUE(accepts("::1", both->port));
  }
  const auto local =
      server.listen({.address = "127.0.0.1", .port = 0, .unix_path = {}, .both_families = true});
  ASSERT_TRUE(local.ok());
  EXPECT_FALSE(accepts("::1", local->port));
}

TEST(Server, LetsARequestUnderWayFinishWhileDraining) {
  Inbox<ExchangePtr> inbox;
  Inbox<bool> draining;
  TestServer server(
      [&](ExchangePtr exchange) {
        exchange->on_draining([&] { draining.put(true); });
        inbox.put(exchange);
      },
      false);
  RawClient idle(server.port());
  RawClient used(server.port());
  RawClient busy(server.port());
  used.send(kGet);
  hello(*inbox.take());
  EXPECT_EQ(used.receive_response().status, 200);
  busy.send(kGet);
  const auto exchange = inbox.take();
  ASSERT_TRUE(exchange);

  std::thread drainer([&] { server.server().drain(); });
  EXPECT_TRUE(draining.take());
  EXPECT_EQ(idle.receive_all(), "");
  EXPECT_EQ(used.receive_all(), "");
  used.cut_off();
  RawClient late(server.port());
  EXPECT_FALSE(late.connected());
  hello(*exchange);
  const auto response = busy.receive_response();
  EXPECT_EQ(response.body.view(), "hello");
  EXPECT_EQ(response.headers.get("connection"), "close");
  EXPECT_EQ(busy.receive_all(), "");
  busy.cut_off();
  drainer.join();
  EXPECT_EQ(server.server().connections(), 0U);
}

TEST(Server, TellsStreamingHandlersThatItDrains) {
  Inbox<bool> started;
  TestServer server(
      [&](ExchangePtr exchange) {
        exchange->start({200, {}});
        exchange->on_draining([exchange] { exchange->finish(); });
        started.put(true);
      },
      false);
  RawClient client(server.port());
  client.send(kGet);
  ASSERT_TRUE(started.take());
  std::thread drainer([&] { server.server().drain(); });
  EXPECT_EQ(client.receive_response().body.view(), "");
  EXPECT_EQ(client.receive_all(), "");
  client.cut_off();
  drainer.join();
}

TEST(Server, StopsWaitingWhenTheDrainTakesTooLong) {
  ServerLimits limits;
  limits.drain_timeout = std::chrono::milliseconds(50);
  Inbox<ExchangePtr> inbox;
  TestServer server([&](ExchangePtr exchange) { inbox.put(exchange); }, false, limits);
  RawClient client(server.port());
  client.send(kGet);
  ASSERT_TRUE(inbox.take());
  server.server().drain();
  EXPECT_EQ(server.server().connections(), 1U);
}

TEST(Server, GoesWithConnectionsInEveryState) {
  Inbox<ExchangePtr> inbox;
  std::vector<std::unique_ptr<RawClient>> clients;
  std::vector<ExchangePtr> exchanges;
  std::unique_ptr<testkit::Http2Client> http2;
  LoopGroup loops(2);
  std::atomic<int> closed{0};
  testkit::FunctionHandler handler([&](ExchangePtr exchange) {
    exchange->on_closed([&] { ++closed; });
    inbox.put(exchange);
  });
  TlsSource tls(nullptr);
  TlsOptions options;
  options.certificate_pem = testkit::test_server_key().certificate_pem;
  options.private_key_pem = testkit::test_server_key().private_key_pem;
  tls.set(*TlsContext::server(options));
  {
    Server server(loops, handler);
    const int plain = server.listen({"127.0.0.1", 0, {}})->port;
    const int secure = server.listen({"127.0.0.1", 0, {}}, &tls)->port;
    for (const std::string_view bytes : {std::string_view(), kGet.substr(0, 10), kGet, kGet}) {
      clients.push_back(std::make_unique<RawClient>(plain));
      clients.back()->send(bytes);
    }
    clients.push_back(std::make_unique<RawClient>(secure));
    clients.back()->send("\x16\x03");
    clients.push_back(std::make_unique<RawClient>(secure, RawClient::Options{.tls = true}));
    clients.back()->send(kGet);
    http2 = std::make_unique<testkit::Http2Client>(secure);
    http2->ask("GET", "/");
    http2->ask("POST", "/", false);
    for (int i = 0; i < 5; ++i) {
      const auto exchange = inbox.take();
      ASSERT_TRUE(exchange);
      exchanges.push_back(*exchange);
    }
    exchanges[0]->start({200, {}});
    exchanges[0]->write(Bytes(std::string(1 << 20, 'x')));
  }
  for (auto& client : clients) client->receive_all();
  EXPECT_EQ(closed, 5);
  // The exchanges outlive the server: writes are discarded.
  for (size_t i = 1; i < exchanges.size(); ++i) hello(exchanges[i]);
  exchanges[0]->write(Bytes::of_static("late"));
  exchanges[0]->finish();
  Inbox<bool> told;
  exchanges[1]->on_closed([&] { told.put(true); });
  EXPECT_TRUE(told.take());
}

TEST(Server, SpreadsConnectionsOverItsLoops) {
  Inbox<Loop*> used;
  TestServer server(
      [&](ExchangePtr exchange) {
        used.put(&exchange->loop());
        hello(exchange);
      },
      false, {}, 2);
  std::set<Loop*> all;
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int i = 0; i < 4; ++i) {
    clients.push_back(std::make_unique<RawClient>(server.port()));
    clients.back()->send(kGet);
    clients.back()->receive_response();
    all.insert(*used.take());
  }
  EXPECT_EQ(all.size(), 2U);
}

// What libraries throw on the loop's thread costs the request, not the server.
TEST(Server, GoesOnAfterAHandlerThatThrew) {
  TestServer server([](const ExchangePtr& exchange) {
    const std::string& target = exchange->request().target;
    if (target == "/bad") throw std::length_error("from a library");
    if (target == "/later")
      return continue_later(exchange, [] { throw std::length_error("from a library"); });
    hello(exchange);
  });
  for (const std::string target : {"/bad", "/later"}) {
    RawClient client(server.port(), {.tls = true});
    client.send("GET " + target + " HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_EQ(client.receive_until("\r\n\r\n"), "") << target;
  }
  server.loops().at(0).post([] { throw std::length_error("from a library"); });
  server.loops().at(1).post([] { throw std::length_error("from a library"); });
  for (int i = 0; i < 4; ++i) {
    RawClient client(server.port(), {.tls = true});
    client.send(kGet);
    EXPECT_EQ(client.receive_response().status, 200);
  }
}

}  // namespace server_test
}  // namespace proa::http
