#include <gtest/gtest.h>

#include "testkit/http/inbox.h"
#include "testkit/http/raw_client.h"
#include "testkit/http/test_server.h"

namespace proa::http {
namespace tunnel_test {

using testkit::Inbox;
using testkit::RawClient;
using testkit::TestServer;

constexpr std::string_view kUpgrade =
    "POST /exec HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n";

// Echoes until the peer ends.
class EchoTunnel final : public Socket::Events {
 public:
  explicit EchoTunnel(std::unique_ptr<Socket> socket) : socket_(std::move(socket)) {}

  void start(std::string_view early) {
    if (!early.empty()) on_data(early);
    socket_->set_events(*this);
  }
  void on_data(std::string_view bytes) override {
    socket_->write(Bytes("<" + std::string(bytes) + ">"));
    socket_->flush();
  }
  void on_end() override { delete this; }
  void on_closed(const Status&) override { delete this; }

 private:
  std::unique_ptr<Socket> socket_;
};

void echo_tunnel(const ExchangePtr& exchange) {
  exchange->upgrade({{"upgrade", "SPDY/3.1"}},
                    [](std::unique_ptr<Socket> socket, std::string early) {
                      (new EchoTunnel(std::move(socket)))->start(early);  // owns itself
                    });
}

void expect_switched(RawClient& client) {
  const std::string head = client.receive_until("\r\n\r\n");
  EXPECT_TRUE(head.starts_with("HTTP/1.1 101 Switching Protocols\r\n")) << head;
  EXPECT_NE(head.find("upgrade: SPDY/3.1\r\n"), std::string::npos) << head;
  EXPECT_NE(head.find("connection: Upgrade\r\n"), std::string::npos) << head;
}

TEST(Tunnel, GoesBothWaysAndBeginsWithTheEarlyBytes) {
  for (const bool tls : {false, true}) {
    SCOPED_TRACE(tls);
    TestServer server(echo_tunnel, tls);
    RawClient client(server.port(), {.tls = tls});
    client.send(std::string(kUpgrade) + "early");
    expect_switched(client);
    EXPECT_EQ(client.receive_exactly(7), "<early>");
    client.send("more");
    EXPECT_EQ(client.receive_exactly(6), "<more>");
    client.end();
    EXPECT_EQ(client.receive_all(), "");
  }
}

TEST(Tunnel, KeepsEarlyBytesThatCameWhileTheHandlerThought) {
  for (const bool tls : {false, true}) {
    SCOPED_TRACE(tls);
    Inbox<ExchangePtr> inbox;
    TestServer server([&](ExchangePtr exchange) { inbox.put(exchange); }, tls);
    RawClient client(server.port(), {.tls = tls});
    client.send(kUpgrade);
    const auto exchange = inbox.take();
    ASSERT_TRUE(exchange);
    client.send("one");
    // The server has read that once it has answered this, on the same loop.
    (*exchange)->loop().run_and_wait([] {});
    echo_tunnel(*exchange);
    expect_switched(client);
    EXPECT_EQ(client.receive_until(">"), "<one>");
    client.send("two");
    EXPECT_EQ(client.receive_until(">"), "<two>");
    client.end();
    EXPECT_EQ(client.receive_all(), "");
  }
}

TEST(Tunnel, HoldsBytesForAnOwnerThatComesLater) {
  for (const bool tls : {false, true}) {
    SCOPED_TRACE(tls);
    Inbox<Socket*> sockets;
    Inbox<std::string> early_bytes;
    TestServer server(
        [&](ExchangePtr exchange) {
          exchange->upgrade({{"upgrade", "SPDY/3.1"}},
                            [&](std::unique_ptr<Socket> socket, std::string early) {
                              early_bytes.put(std::move(early));
                              sockets.put(socket.release());
                            });
        },
        tls, {}, 1);
    RawClient client(server.port(), {.tls = tls});
    client.send(kUpgrade);
    client.send("first");
    const auto socket = sockets.take();
    ASSERT_TRUE(socket);
    expect_switched(client);
    client.send("second");
    client.end();
    Loop& loop = server.loops().at(0);
    for (int i = 0; i < 5; ++i) loop.run_and_wait([] {});  // time to go wrong
    loop.run_and_wait(
        [&] { (new EchoTunnel(std::unique_ptr<Socket>(*socket)))->start(*early_bytes.take()); });
    std::string all = client.receive_all();
    std::erase(all, '<');
    std::erase(all, '>');
    EXPECT_EQ(all, "firstsecond");
  }
}

TEST(Tunnel, BeginsBehindARequestBody) {
  TestServer server(
      [](ExchangePtr exchange) {
        exchange->read_body([exchange](Result<Bytes> body) {
          EXPECT_EQ(body->view(), "body");
          echo_tunnel(exchange);
        });
      },
      false);
  RawClient client(server.port());
  client.send(
      "POST / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n"
      "Content-Length: 4\r\n\r\nbodyearly");
  expect_switched(client);
  EXPECT_EQ(client.receive_until(">"), "<early>");
}

TEST(Tunnel, IsRefusedToRequestsThatCanNotBeUpgraded) {
  TestServer server(echo_tunnel, false);
  for (const auto* request :
       {"GET / HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.0\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n"
        "Content-Length: 5\r\n\r\n"}) {
    SCOPED_TRACE(request);
    RawClient client(server.port());
    client.send(request);
    EXPECT_EQ(client.receive_response().status, 400);
  }
}

TEST(Tunnel, OutlivesTheServer) {
  Inbox<Socket*> sockets;
  LoopGroup loops(1);
  testkit::FunctionHandler handler([&](ExchangePtr exchange) {
    exchange->upgrade(
        {}, [&](std::unique_ptr<Socket> socket, std::string) { sockets.put(socket.release()); });
  });
  auto server = std::make_unique<Server>(loops, handler);
  const auto endpoint = server->listen({"127.0.0.1", 0, {}});
  ASSERT_TRUE(endpoint.ok());
  RawClient client(endpoint->port);
  client.send(kUpgrade);
  const auto socket = sockets.take();
  ASSERT_TRUE(socket);
  EXPECT_EQ(server->connections(), 0U);
  server.reset();
  loops.at(0).run_and_wait(
      [&] { (new EchoTunnel(std::unique_ptr<Socket>(*socket)))->start("hello"); });
  client.receive_until("\r\n\r\n");
  EXPECT_EQ(client.receive_until(">"), "<hello>");
  client.end();
  EXPECT_EQ(client.receive_all(), "");
}

}  // namespace tunnel_test
}  // namespace proa::http
