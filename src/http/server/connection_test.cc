#include "http/server/connection.h"

#include <gtest/gtest.h>

#include "testkit/http/http2_client.h"
#include "testkit/http/inbox.h"
#include "testkit/http/raw_client.h"
#include "testkit/http/test_server.h"

namespace proa::http {
namespace connection_test {

using testkit::Http2Client;
using testkit::Inbox;
using testkit::RawClient;
using testkit::TestServer;

constexpr std::string_view kGet = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

void hello(const ExchangePtr& exchange) {
  exchange->respond({200, {}, Bytes::of_static("hello"), {}});
}

class CrowdTest : public testing::Test {
 protected:
  // A server on one loop, which answers unless the path is "/wait".
  void start(const ServerLimits& limits) {
    server_.emplace(
        [this](ExchangePtr exchange) {
          ++handled_;
          if (exchange->request().target != "/wait") return hello(exchange);
          exchange->on_closed([this] { closed_.put(true); });
          waiting_.put(exchange);
        },
        false, limits, 1);
  }
  std::unique_ptr<RawClient> connect(const std::string& from = "127.0.0.1") {
    return std::make_unique<RawClient>(server_->port(), RawClient::Options{.from = from});
  }
  std::unique_ptr<RawClient> ask(const std::string& from = "127.0.0.1") {
    auto client = connect(from);
    client->send(kGet);
    EXPECT_EQ(client->receive_response().status, 200);
    return client;
  }
  static bool is_served(RawClient& client) {
    return client.send(kGet) && client.receive_response().status == 200;
  }

  std::atomic<int> handled_{0};
  Inbox<ExchangePtr> waiting_;
  Inbox<bool> closed_;
  std::optional<TestServer> server_;
};

TEST_F(CrowdTest, SilentConnectionsMakeRoomBeforeIdleOnes) {
  ServerLimits limits;
  limits.connections = 3;
  start(limits);
  const auto idle = ask();
  const auto first_silent = connect();
  ASSERT_TRUE(server_->wait_for_connections(2));
  const auto second_silent = connect();
  ASSERT_TRUE(server_->wait_for_connections(3));
  const auto fourth = ask();
  EXPECT_EQ(first_silent->receive_all(), "");
  const auto fifth = ask();
  EXPECT_EQ(second_silent->receive_all(), "");
  EXPECT_TRUE(is_served(*idle));  // and now the others are idle for longer
  const auto sixth = ask();
  EXPECT_EQ(fourth->receive_all(), "");
  EXPECT_TRUE(is_served(*idle) && is_served(*fifth) && is_served(*sixth));
}

TEST_F(CrowdTest, ConnectionsInUseStayAndNewOnesAreRefused) {
  ServerLimits limits;
  limits.connections = 2;
  start(limits);
  const auto first = connect();
  first->send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n");
  const auto exchange = waiting_.take();
  ASSERT_TRUE(exchange);
  Http2Client second(server_->port(), false);
  const StreamId stream = second.ask("GET", "/wait");
  const auto other = waiting_.take();
  ASSERT_TRUE(other);
  const auto refused = connect();
  EXPECT_EQ(refused->receive_all(), "");
  hello(*exchange);
  EXPECT_EQ(first->receive_response().status, 200);
  const auto third = ask();  // the first is idle now
  EXPECT_EQ(first->receive_all(), "");
  hello(*other);
  EXPECT_EQ(second.wait(stream).status, 200);
}

TEST_F(CrowdTest, ConnectionsWhosePeerDoesNotReadMakeRoom) {
  namespace frames = testkit::frames;
  ServerLimits limits;
  limits.connections = 2;
  limits.stalled_time = std::chrono::milliseconds(500);
  start(limits);
  Http2Client waits(server_->port(), false);
  const StreamId stream = waits.ask("GET", "/wait");
  const auto exchange = waiting_.take();
  ASSERT_TRUE(exchange);
  RawClient stalled(server_->port());
  // With a window of zero.
  stalled.send(std::string(frames::kPreface) +
               frames::frame(frames::kSettings, 0, 0, std::string("\x00\x04\x00\x00\x00\x00", 6)) +
               frames::frame(frames::kHeaders, frames::kEndHeaders | frames::kEndStream, 1,
                             frames::get_fields()));
  while (handled_ < 2) server_->loops().at(0).run_and_wait([] {});
  const auto deadline = std::chrono::steady_clock::now() + testkit::kTestTimeout;
  bool served = false;
  while (!served && std::chrono::steady_clock::now() < deadline) {
    RawClient next(server_->port());
    served = is_served(next);
  }
  EXPECT_TRUE(served);
  // Nobody else's place was taken.
  hello(*exchange);
  EXPECT_EQ(waits.wait(stream).status, 200);
}

TEST_F(CrowdTest, AnAddressMakesRoomForItself) {
  ServerLimits limits;
  limits.connections_per_address = 2;
  start(limits);
  const auto other = ask("127.0.0.2");
  const auto first = ask();
  const auto second = ask();
  const auto third = ask();
  EXPECT_EQ(first->receive_all(), "");
  EXPECT_TRUE(is_served(*other) && is_served(*second) && is_served(*third));
}

TEST_F(CrowdTest, AFloodTakesItsOwnPlaces) {
  ServerLimits limits;
  limits.connections = 6;
  start(limits);
  const auto honest = connect("127.0.0.2");  // the oldest, and silent
  std::vector<std::unique_ptr<RawClient>> flood;
  for (int i = 0; i < 20; ++i) flood.push_back(connect());
  ASSERT_TRUE(server_->wait_for_connections(6));
  EXPECT_TRUE(is_served(*honest));
}

TEST_F(CrowdTest, ConnectionsOfAllHandlersMakeRoomForEachOther) {
  ServerLimits limits;
  limits.connections = 3;
  start(limits);
  testkit::FunctionHandler other(hello);
  const Endpoint local{.address = "127.0.0.1", .port = 0, .unix_path = {}};
  const int port = server_->server().listen_for(other, local).value().port;
  const auto first = ask();
  const auto second = ask();
  const auto ask_other = [&] {
    auto client = std::make_unique<RawClient>(port);
    EXPECT_TRUE(is_served(*client));
    return client;
  };
  const auto third = ask_other();
  const auto fourth = ask_other();
  EXPECT_EQ(first->receive_all(), "");
  const auto fifth = ask_other();
  EXPECT_EQ(second->receive_all(), "");
  EXPECT_TRUE(is_served(*third));
  EXPECT_EQ(handled_, 2);
  server_->server().stop(other);
}

TEST_F(CrowdTest, AHandlerStopsWithItsConnections) {
  start({});
  const Endpoint local{.address = "127.0.0.1", .port = 0, .unix_path = {}};
  const auto own = ask();
  std::vector<std::unique_ptr<RawClient>> left;
  {
    testkit::FunctionHandler other(hello);
    const int port = server_->server().listen_for(other, local).value().port;
    ASSERT_TRUE(server_->server().listen_for(other, local).ok());
    for (int i = 0; i < 20; ++i) left.push_back(std::make_unique<RawClient>(port));
    EXPECT_TRUE(is_served(*left.front()));
    server_->server().stop(other);
    EXPECT_FALSE(RawClient(port).connected());
  }
  for (const auto& client : left) EXPECT_EQ(client->receive_all(), "");
  EXPECT_TRUE(server_->wait_for_connections(1));
  EXPECT_TRUE(is_served(*own));
}

TEST_F(CrowdTest, SilentConnectionsAreFewerThanOthers) {
  ServerLimits limits;
  limits.silent_connections = 3;
  start(limits);
  std::vector<std::unique_ptr<RawClient>> used;
  for (int i = 0; i < 5; ++i) used.push_back(ask());
  std::vector<std::unique_ptr<RawClient>> silent;
  for (int i = 0; i < 10; ++i) silent.push_back(connect());
  ASSERT_TRUE(server_->wait_for_connections(8));
  for (const auto& client : used) EXPECT_TRUE(is_served(*client));
  EXPECT_TRUE(is_served(*silent.back()));
}

// A client whose handshake is made step by step.
class TlsPeer {
 public:
  explicit TlsPeer(TestServer& server) : client_(server.port()) {
    // The server has accepted it, and looked for its bytes.
    server.loops().at(0).run_and_wait([] {});
  }
  // Sends the first flight, and waits for the answer.
  bool begin() { return session_.handshake().ok() && send() && receive(); }
  // The rest, and a request.
  bool is_served() {
    while (!session_.established()) {
      session_.receive(received_);
      if (!session_.handshake().ok() || !send()) return false;
      if (!session_.established() && !receive()) return false;
    }
    return session_.write(kGet).ok() && send() && answer().find("hello") != std::string::npos;
  }

 private:
  bool send() {
    const std::string bytes = std::exchange(session_.outgoing(), {});
    return bytes.empty() || client_.send(bytes);
  }
  bool receive() {
    received_ = client_.receive();
    return !received_.empty();
  }
  std::string answer() {
    std::string text;
    while (text.find("hello") == std::string::npos && receive()) {
      session_.receive(received_);
      std::array<char, 1024> buffer;
      while (const size_t size = session_.read(buffer.data(), buffer.size()).value()) {
        text.append(buffer.data(), size);
      }
    }
    return text;
  }

  TlsSession session_{TlsContext::client({.insecure_skip_verify = true}).value(), false,
                      "localhost", false};
  RawClient client_;
  std::string received_;
};

TEST(TlsCrowd, SilentConnectionsMakeRoomBeforeHandshakes) {
  ServerLimits limits;
  limits.connections = 4;
  limits.silent_time = Duration::zero();
  TestServer server(hello, true, limits, 1);
  TlsPeer honest(server);
  ASSERT_TRUE(honest.begin());
  // Now it takes its time, as others do not send a byte.
  std::vector<std::unique_ptr<TlsPeer>> flood;
  for (int i = 0; i < 20; ++i) flood.push_back(std::make_unique<TlsPeer>(server));
  ASSERT_TRUE(server.wait_for_connections(4));
  EXPECT_TRUE(honest.is_served());
}

TEST(TlsCrowd, HandshakesThatAreNotFinishedMakeRoomBeforeNewConnections) {
  ServerLimits limits;
  limits.connections = 4;
  limits.silent_time = std::chrono::minutes(1);
  TestServer server(hello, true, limits, 1);
  std::vector<std::unique_ptr<TlsPeer>> flood;
  const auto add = [&] {
    flood.push_back(std::make_unique<TlsPeer>(server));
    ASSERT_TRUE(flood.back()->begin());
  };
  for (int i = 0; i < 5; ++i) add();
  TlsPeer honest(server);
  for (int i = 0; i < 2; ++i) add();
  ASSERT_TRUE(honest.begin());
  for (int i = 0; i < 2; ++i) add();
  EXPECT_TRUE(honest.is_served());
}

TEST_F(CrowdTest, IdleHttp2ConnectionsAreToldWhy) {
  ServerLimits limits;
  limits.connections = 1;
  start(limits);
  Http2Client idle(server_->port(), false);
  EXPECT_EQ(idle.wait(idle.ask("GET", "/")).status, 200);
  const auto next = ask();
  idle.wait_for_end();
  EXPECT_TRUE(idle.goaway());
}

TEST_F(CrowdTest, TunnelsCountButAreNotServed) {
  ServerLimits limits;
  limits.connections = 1;
  std::vector<std::unique_ptr<Socket>> sockets;
  Inbox<bool> upgraded;
  TestServer server(
      [&](ExchangePtr exchange) {
        if (exchange->request().target != "/up") return hello(exchange);
        exchange->upgrade({{"upgrade", "SPDY/3.1"}},
                          [&](std::unique_ptr<Socket> socket, const std::string&) {
                            sockets.push_back(std::move(socket));
                            upgraded.put(true);
                          });
      },
      false, limits, 1);
  RawClient tunnel(server.port());
  tunnel.send("GET /up HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n");
  ASSERT_TRUE(upgraded.take());
  EXPECT_EQ(server.server().connections(), 0U);
  RawClient refused(server.port());
  EXPECT_EQ(refused.receive_all(), "");
  server.loops().at(0).run_and_wait([&] { sockets.clear(); });
  RawClient next(server.port());
  EXPECT_TRUE(next.send(kGet));
  EXPECT_EQ(next.receive_response().status, 200);
}

class OutputTest : public testing::Test {
 protected:
  // Answers "/N" with the N-th of its texts, which do not end.
  void start(size_t budget, std::vector<Bytes> texts) {
    ServerLimits limits;
    limits.unsent_total = budget;
    server_.emplace(
        [this, texts = std::move(texts)](ExchangePtr exchange) {
          const std::string target = exchange->request().target;
          exchange->on_closed([this, target] { closed_.put(target); });
          exchange->start({200, {}});
          exchange->write(texts[static_cast<size_t>(std::stoi(target.substr(1)))]);
        },
        false, limits, 1);
  }
  static Http2Limits small_windows() {
    Http2Limits limits;
    limits.stream_window = 1000;
    return limits;
  }
  static std::string get(int number) {
    return "GET /" + std::to_string(number) + " HTTP/1.1\r\nHost: a\r\n\r\n";
  }

  Inbox<std::string> closed_;
  std::optional<TestServer> server_;
};

TEST_F(OutputTest, TheSlowestStreamsAreDropped) {
  std::vector<Bytes> texts;
  for (int i = 0; i < 10; ++i) texts.emplace_back(std::string(200'000, 'x'));
  start(900'000, texts);
  Http2Client client(server_->port(), false, small_windows());
  std::vector<StreamId> streams;
  for (int i = 0; i < 10; ++i) {
    streams.push_back(client.ask("GET", "/" + std::to_string(i)));
    client.hold(streams.back());
    while (client.answer(streams.back()).body.empty()) ASSERT_TRUE(client.read());
  }
  for (int i = 0; i < 6; ++i) EXPECT_EQ(closed_.take(), "/" + std::to_string(i));
  for (int i = 0; i < 6; ++i) EXPECT_TRUE(client.wait(streams[i]).closed);
  for (int i = 6; i < 10; ++i) EXPECT_FALSE(client.answer(streams[i]).closed);
  EXPECT_TRUE(closed_.empty());
}

TEST_F(OutputTest, ManyReadersOfTheSameAreNot) {
  start(900'000, {Bytes(std::string(200'000, 'x'))});
  Http2Client client(server_->port(), false, small_windows());
  std::vector<StreamId> streams;
  for (int i = 0; i < 50; ++i) {
    streams.push_back(client.ask("GET", "/0"));
    client.hold(streams.back());
  }
  for (const StreamId stream : streams) {
    while (client.answer(stream).body.empty()) ASSERT_TRUE(client.read());
    EXPECT_FALSE(client.answer(stream).closed);
  }
  EXPECT_TRUE(closed_.empty());
}

TEST_F(OutputTest, TheSlowestConnectionsAreDropped) {
  std::vector<Bytes> texts;
  for (int i = 0; i < 3; ++i) texts.emplace_back(std::string(3'900'000, 'x'));
  start(6'000'000, texts);
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int i = 0; i < 3; ++i) {
    clients.push_back(
        std::make_unique<RawClient>(server_->port(), RawClient::Options{.receive_buffer = 4096}));
    clients.back()->send(get(i));
    clients.back()->receive_exactly(1000);
  }
  EXPECT_EQ(closed_.take(), "/0");
  EXPECT_EQ(closed_.take(), "/1");
  EXPECT_TRUE(closed_.empty());
}

}  // namespace connection_test
}  // namespace proa::http
