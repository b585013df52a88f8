#include "http/client/upgrade.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <future>

#include "base/files.h"
#include "http/client/client.h"
#include "testkit/http/scripted_server.h"

namespace proa::http {
namespace client_upgrade_test {

using namespace std::chrono_literals;
using testkit::ScriptedPeer;
using testkit::ScriptedServer;

constexpr std::string_view kSwitch =
    "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n";

// The owner of an upgraded socket: collects received data.
struct Tunnel final : Socket::Events {
  void on_data(std::string_view bytes) override { gathered.append(bytes); }
  void on_end() override { ended.set_value(); }
  void on_closed(const Status&) override { ended.set_value(); }

  std::unique_ptr<Socket> socket;
  std::string gathered;
  std::promise<void> ended;
};

class ClientUpgradeTest : public testing::Test {
 protected:
  ClientRequest request(const ScriptedServer& server) {
    return {.origin = server.origin(),
            .method = "POST",
            .target = "/exec",
            .headers = {{"upgrade", "SPDY/3.1"}},
            .body = {}};
  }
  // The failure of an upgrade that must fail.
  Status refused(ClientRequest asked, Duration timeout = 20s) {
    std::promise<Status> done;
    client.upgrade(loops.at(0), std::move(asked), timeout, [&](Result<Upgraded> result) {
      done.set_value(result.ok() ? Status(Reason::kUnknown, "it was upgraded") : result.status());
    });
    return done.get_future().get();
  }

  SystemClock clock;
  LoopGroup loops{1};
  Client client{loops, clock, {}};
};

TEST_F(ClientUpgradeTest, HandsTheConnectionOverWithWhatCameEarly) {
  std::string head;
  ScriptedServer server([&](ScriptedPeer& peer, int) {
    head = peer.receive_until("\r\n\r\n");
    peer.send("HTTP/1.1 100 Continue\r\n\r\n" + std::string(kSwitch) + "early ");
    peer.send(peer.receive_exactly(4));
  });
  Tunnel tunnel;
  client.upgrade(loops.at(0), request(server), 20s, [&](Result<Upgraded> result) {
    ASSERT_TRUE(result.ok()) << result.status().message();
    EXPECT_EQ(result->head.status, 101);
    tunnel.socket = std::move(result->socket);
    tunnel.gathered = result->early;
    tunnel.socket->set_events(tunnel);
    tunnel.socket->resume();
    tunnel.socket->write(Bytes::of_static("ping"));
    tunnel.socket->flush();
  });
  tunnel.ended.get_future().wait();
  loops.at(0).run_and_wait([&] { tunnel.socket.reset(); });
  EXPECT_EQ(tunnel.gathered, "early ping");
  EXPECT_NE(head.find("\r\nupgrade: SPDY/3.1\r\n"), std::string::npos);
  EXPECT_NE(head.find("\r\nconnection: Upgrade\r\n"), std::string::npos);
}

TEST_F(ClientUpgradeTest, ClosesTheConnectionOfAPeerThatDoesNotSwitch) {
  struct Case {
    const char* answer;
    int code;
    const char* words;
  };
  const Case cases[] = {
      {"HTTP/1.1 403 Forbidden\r\ncontent-length: 4\r\n\r\nno!\n", 403, "no!"},
      {"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok", 503, "200 OK"},
      {"HTTP/1.1 302 Found\r\nlocation: /x\r\ncontent-length: 0\r\n\r\n", 503, "302"},
      {"HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n", 503,
       "101"},
      {"HTTP/1.1 101 Switching Protocols\r\nupgrade: SPDY/3.1\r\n\r\n", 503, "101"},
      {"nonsense\r\n\r\n", 503, "malformed"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.answer);
    std::promise<std::string> behind;
    ScriptedServer server([&](ScriptedPeer& peer, int) {
      peer.receive_until("\r\n\r\n");
      peer.send(c.answer);
      // Ends only when the client has closed; the script itself keeps the connection open.
      behind.set_value(peer.receive_all());
    });
    const Status status = refused(request(server));
    EXPECT_EQ(status.code(), c.code);
    EXPECT_NE(status.message().find(c.words), std::string::npos) << status.message();
    EXPECT_EQ(behind.get_future().get(), "");
    EXPECT_EQ(client.connections(), 0U);
  }
}

TEST_F(ClientUpgradeTest, GivesUpOnPeersThatSayNothingOrTooMuch) {
  ScriptedServer silent([](ScriptedPeer& peer, int) { peer.receive_all(); });
  EXPECT_TRUE(refused(request(silent), 20ms).is(Reason::kTimeout));
  ScriptedServer endless([](ScriptedPeer& peer, int) {
    peer.receive_until("\r\n\r\n");
    peer.send("HTTP/1.1 500 Internal Server Error\r\n\r\n");
    while (peer.send(std::string(1000, 'x'))) {
    }
  });
  EXPECT_EQ(refused(request(endless)).code(), 500);
  ScriptedServer gone([](ScriptedPeer& peer, int) { peer.receive_until("\r\n\r\n"); });
  EXPECT_TRUE(refused(request(gone)).is(Reason::kServiceUnavailable));
}

// A peer whose packets are dropped: with a full queue of connections, the kernel answers no more.
TEST_F(ClientUpgradeTest, ConnectingMayTakeAsLongAsForOtherRequests) {
  const FileDescriptor full(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof where;
  auto* address = reinterpret_cast<sockaddr*>(&where);
  ASSERT_EQ(bind(full.get(), address, size), 0);
  ASSERT_EQ(listen(full.get(), 0), 0);
  ASSERT_EQ(getsockname(full.get(), address, &size), 0);
  std::vector<FileDescriptor> waiting;
  for (int i = 0; i < 3; ++i) {
    waiting.emplace_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    static_cast<void>(connect(waiting.back().get(), address, size));
  }
  ClientOptions options;
  options.pool.connect_timeout = 20ms;
  Client hurried(loops, clock, options);
  std::promise<Status> done;
  hurried.upgrade(loops.at(0),
                  {.origin = {.host = "127.0.0.1", .port = ntohs(where.sin_port)},
                   .method = "POST",
                   .target = "/exec",
                   .headers = {{"upgrade", "SPDY/3.1"}},
                   .body = {}},
                  20s, [&](Result<Upgraded> result) { done.set_value(result.status()); });
  auto answer = done.get_future();
  ASSERT_EQ(answer.wait_for(10s), std::future_status::ready);
  const std::string message(answer.get().message());
  EXPECT_TRUE(message.starts_with("connecting to ") && message.ends_with(": timed out")) << message;
}

TEST_F(ClientUpgradeTest, SaysWhenThereIsNobodyOrNothingToUpgradeTo) {
  ScriptedServer server([](ScriptedPeer& peer, int) { peer.receive_all(); });
  ClientRequest asked = request(server);
  asked.headers = {};
  EXPECT_TRUE(refused(asked).is(Reason::kBadRequest));
  asked = request(server);
  asked.origin = {.host = "127.0.0.1", .port = 1};
  EXPECT_EQ(refused(asked).message(), "connecting to 127.0.0.1:1: connection refused");
}

TEST_F(ClientUpgradeTest, FailsWhenTheClientIsDestroyed) {
  ScriptedServer server([](ScriptedPeer& peer, int) { peer.receive_all(); });
  auto doomed = std::make_unique<Client>(loops, clock, ClientOptions{});
  std::promise<bool> done;
  doomed->upgrade(loops.at(0), request(server), 20s,
                  [&](Result<Upgraded> result) { done.set_value(result.ok()); });
  doomed.reset();
  EXPECT_FALSE(done.get_future().get());
}

}  // namespace client_upgrade_test
}  // namespace proa::http
