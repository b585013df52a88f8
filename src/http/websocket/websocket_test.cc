#include "http/websocket/websocket.h"

#include <gtest/gtest.h>

#include "http/websocket/handshake.h"
#include "testkit/http/inbox.h"
#include "testkit/http/raw_client.h"
#include "testkit/http/socket_probe.h"
#include "testkit/http/test_server.h"

namespace proa::http {
namespace websocket_test {

using testkit::Inbox;
using testkit::RawClient;
using testkit::TestServer;

constexpr size_t kMaxMessage = 1 << 20;
SeededRandom& random_source() {
  static SeededRandom random(1);
  return random;
}

// The server side: echoes messages; "close" and "burst" do what their names say. Owns itself.
class Echo final : public WebSocket::Events {
 public:
  Echo(std::unique_ptr<Socket> socket, std::string_view early, Inbox<std::string>& closed)
      : closed_(closed),
        websocket_(std::move(socket), WebSocketCodec::Role::kServer, kMaxMessage, random_source(),
                   *this) {
    websocket_.start(early);
  }
  void on_message(WebSocket::Kind kind, std::string_view message) override {
    if (message == "close") return websocket_.close(1001, "going away");
    if (message == "ping") return websocket_.ping();
    websocket_.send(kind, message);
  }
  void on_closed(uint16_t code, std::string_view reason) override {
    closed_.put(std::to_string(code) + " " + std::string(reason));
    delete this;
  }

 private:
  Inbox<std::string>& closed_;
  WebSocket websocket_;
};

struct EchoServer {
  explicit EchoServer(bool tls)
      : server(
            [this](ExchangePtr exchange) {
              const auto agreement = accept_websocket(exchange->request(), {});
              ASSERT_TRUE(agreement.ok());
              exchange->upgrade(agreement->headers,
                                [this](std::unique_ptr<Socket> socket, const std::string& early) {
                                  new Echo(std::move(socket), early, closed);
                                });
            },
            tls) {}
  Inbox<std::string> closed;
  TestServer server;
};

// Our client's side, over a socket that has been through the handshake.
class Client final : public WebSocket::Events {
 public:
  Client(Loop& loop, const Endpoint& endpoint, std::shared_ptr<const TlsContext> tls)
      : loop_(loop) {
    testkit::SocketProbe probe(loop);
    probe.connect(endpoint, std::move(tls), "localhost");
    EXPECT_EQ(probe.next(), "established");
    RequestHead request;
    request.target = "/";
    request.authority = "localhost";
    ask_for_websocket(request, {}, random_source());
    probe.send(print_request_head(request));
    std::string answer = probe.receive(1);
    while (answer.find("\r\n\r\n") == std::string::npos) answer += probe.receive(1);
    auto socket = probe.release();
    loop_.run_and_wait([&] {
      websocket_ = std::make_unique<WebSocket>(std::move(socket), WebSocketCodec::Role::kClient,
                                               kMaxMessage, random_source(), *this);
      websocket_->start(std::string_view(answer).substr(answer.find("\r\n\r\n") + 4));
    });
  }
  ~Client() override {
    loop_.run_and_wait([this] { websocket_.reset(); });
  }
  void send(const std::string& text) {
    loop_.run_and_wait([&] { websocket_->send(WebSocket::Kind::kText, text); });
  }
  void close(uint16_t code, const std::string& reason) {
    loop_.run_and_wait([&] { websocket_->close(code, reason); });
  }
  std::string next() { return events_.take().value_or("nothing"); }

 private:
  void on_message(WebSocket::Kind, std::string_view message) override {
    events_.put(std::string(message));
  }
  void on_closed(uint16_t code, std::string_view reason) override {
    events_.put("closed " + std::to_string(code) + " " + std::string(reason));
  }

  Loop& loop_;
  Inbox<std::string> events_;
  std::unique_ptr<WebSocket> websocket_;
};

std::shared_ptr<const TlsContext> trusting() {
  TlsOptions options;
  options.roots_pem = testkit::test_authority().certificate_pem;
  options.http2 = false;
  return *TlsContext::client(options);
}

class WebSocketTest : public testing::TestWithParam<bool> {
 protected:
  EchoServer server_{GetParam()};
  Loop loop_;
  Client client_{loop_, server_.server.endpoint(), GetParam() ? trusting() : nullptr};
};
INSTANTIATE_TEST_SUITE_P(, WebSocketTest, testing::Bool(),
                         [](const auto& tls) { return tls.param ? "WithTls" : "Plain"; });

TEST_P(WebSocketTest, CarriesMessagesBothWays) {
  client_.send("hello");
  EXPECT_EQ(client_.next(), "hello");
  const std::string large(900'000, 'x');
  client_.send(large);
  EXPECT_EQ(client_.next(), large);
  client_.send("ping");  // answered by the codec, without an event
  client_.send("after");
  EXPECT_EQ(client_.next(), "after");
}

TEST_P(WebSocketTest, IsClosedByTheClient) {
  client_.close(4000, "enough");
  EXPECT_EQ(server_.closed.take(), "4000 enough");
  EXPECT_EQ(client_.next(), "closed 4000 enough");
}

TEST_P(WebSocketTest, IsClosedByTheServer) {
  client_.send("close");
  EXPECT_EQ(client_.next(), "closed 1001 going away");
  EXPECT_EQ(server_.closed.take(), "1001 going away");
}

TEST_P(WebSocketTest, RefusesMessagesThatAreTooLarge) {
  client_.send(std::string(kMaxMessage + 1, 'x'));
  EXPECT_EQ(client_.next(), "closed 1009 ");
  EXPECT_TRUE(server_.closed.take());
}

constexpr std::string_view kHandshake =
    "GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";

TEST(WebSocket, TakesFramesThatCameBehindTheHandshake) {
  EchoServer server(false);
  RawClient client(server.server.port());
  client.send(std::string(kHandshake) + "\x81\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58");
  EXPECT_NE(client.receive_until("\r\n\r\n").find("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="),
            std::string::npos);
  EXPECT_EQ(client.receive_exactly(7), "\x81\x05Hello");
}

TEST(WebSocket, EndsWithoutACodeWhenThePeerJustGoes) {
  EchoServer server(false);
  {
    RawClient client(server.server.port());
    client.send(kHandshake);
    client.receive_until("\r\n\r\n");
  }
  EXPECT_EQ(server.closed.take(), "1006 ");
}

TEST(WebSocket, TellsABreachAndEnds) {
  EchoServer server(false);
  RawClient client(server.server.port());
  client.send(std::string(kHandshake) + "\x81\x05Hello");  // not masked
  client.receive_until("\r\n\r\n");
  EXPECT_EQ(client.receive_all(), std::string("\x88\x02\x03\xea", 4));
  EXPECT_EQ(server.closed.take(), "1006 ");
}

TEST(WebSocket, DoesNotReadFromAPeerThatReadsNothing) {
  EchoServer server(false);
  RawClient client(server.server.port(), {.receive_buffer = 4096});
  client.send(kHandshake);
  client.receive_until("\r\n\r\n");
  std::string pings;
  for (int i = 0; i < 500; ++i) {
    pings += std::string("\x89\xfd\x00\x00\x00\x00", 6) + std::string(125, 'p');
  }
  // Accepts no more than the buffers of the kernel and ours hold.
  size_t sent = 0;
  int refused = 0;
  while (sent < (200U << 20) && refused < 200) {
    const size_t now = client.send_some(std::string_view(pings).substr(sent % pings.size()));
    sent += now;
    refused = now == 0 ? refused + 1 : 0;
    if (now == 0) server.server.loops().at(0).run_and_wait([] {});
  }
  EXPECT_LT(sent, 200U << 20);
  client.reset();
  EXPECT_TRUE(server.closed.take());
}

}  // namespace websocket_test
}  // namespace proa::http
