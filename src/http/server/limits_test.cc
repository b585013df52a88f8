#include "http/server/limits.h"

#include <gtest/gtest.h>
#include <poll.h>

#include "http/budgets/connection_count.h"
#include "testkit/http/http2_client.h"
#include "testkit/http/inbox.h"
#include "testkit/http/raw_client.h"
#include "testkit/http/test_server.h"

namespace proa::http {
namespace limits_test {

using std::chrono::milliseconds;
using testkit::Inbox;
using testkit::RawClient;
using testkit::TestServer;

constexpr std::string_view kGet = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

void hello(ExchangePtr exchange) { exchange->respond({200, {}, Bytes::of_static("hello"), {}}); }

// All timeouts far away, but those that a test sets.
ServerLimits patient() {
  ServerLimits limits;
  limits.handshake_timeout = limits.head_timeout = limits.body_timeout = limits.idle_timeout =
      limits.write_timeout = std::chrono::seconds(60);
  return limits;
}

TEST(ServerLimits, EndsAHandshakeThatDoesNotCome) {
  auto limits = patient();
  limits.handshake_timeout = milliseconds(100);
  TestServer server(hello, true, limits);
  RawClient silent(server.port());
  EXPECT_EQ(silent.receive_all(), "");
  // The first bytes of a ClientHello, and no more.
  RawClient slow(server.port());
  slow.send(std::string_view("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11));
  EXPECT_EQ(slow.receive_all(), "");
}

TEST(ServerLimits, DropsAHandshakeWhoseTimeIsUpWhenItsTurnComes) {
  auto limits = patient();
  limits.handshake_timeout = milliseconds(300);
  TestServer server(hello, true, limits, 1);
  TlsOptions options;
  options.insecure_skip_verify = true;
  TlsSession session(*TlsContext::client(options), false);
  RawClient client(server.port());
  ASSERT_TRUE(session.handshake().ok());
  client.send(std::exchange(session.outgoing(), {}));
  while (!session.established()) {
    const std::string bytes = client.receive();
    ASSERT_FALSE(bytes.empty());
    session.receive(bytes);
    ASSERT_TRUE(session.handshake().ok());
  }
  // The loop is held up by other costly work while the client's last flight comes and the time
  // runs out. It then reads the flight, sees that the time is up, and comes to the flight's turn.
  Inbox<bool> held;
  FairQueue::Waiter holding([&] {
    held.put(true);
    client.send(session.outgoing());
    const auto end = std::chrono::steady_clock::now() + limits.handshake_timeout;
    while (std::chrono::steady_clock::now() < end) continue;
  });
  Loop& loop = server.loops().at(0);
  loop.run_and_wait([&] { loop.queue_costly(Loop::Costly::kBegun, "other", holding); });
  ASSERT_TRUE(held.take());
  EXPECT_TRUE(server.wait_for_connections(0));
  loop.run_and_wait([&] { holding.leave(); });
}

TEST(ServerLimits, EndsAPlainConnectionThatSaysNothing) {
  auto limits = patient();
  limits.handshake_timeout = milliseconds(100);
  TestServer server(hello, false, limits);
  RawClient silent(server.port());
  EXPECT_EQ(silent.receive_all(), "");
  RawClient undecided(server.port());
  undecided.send("PRI * HTTP/2.0\r\n");
  EXPECT_EQ(undecided.receive_all(), "");
}

TEST(ServerLimits, EndsAHeadThatDrips) {
  auto limits = patient();
  limits.head_timeout = milliseconds(100);
  TestServer server(hello, false, limits);
  RawClient client(server.port());
  client.send("GET / HTTP/1.1\r\nHost: a\r\nX: ");
  // Faster than any timeout, for as long as it lasts: the server counts from the first byte.
  while (client.send("x") && client.descriptor() >= 0) {
    pollfd wanted{client.descriptor(), POLLIN, 0};
    if (::poll(&wanted, 1, 5) > 0) break;
  }
  EXPECT_EQ(client.receive_all(), "");
}

TEST(ServerLimits, EndsASecondHeadThatDrips) {
  auto limits = patient();
  limits.head_timeout = milliseconds(100);
  TestServer server(hello, false, limits);
  RawClient client(server.port());
  client.send(std::string(kGet) + "GET / HT");
  EXPECT_EQ(client.receive_response().status, 200);
  EXPECT_EQ(client.receive_all(), "");
}

TEST(ServerLimits, EndsABodyThatStops) {
  auto limits = patient();
  limits.body_timeout = milliseconds(100);
  Inbox<std::string> failures;
  TestServer server(
      [&](ExchangePtr exchange) {
        exchange->read_body([&, exchange](Result<Bytes> body) {
          failures.put(body.ok() ? "whole" : body.status().message());
        });
      },
      false, limits);
  RawClient client(server.port());
  client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhalf");
  // The handler is told, and does not answer.
  EXPECT_EQ(client.receive_all(), "");
  EXPECT_EQ(failures.take(), "Timeout: request did not complete within the allotted timeout");
}

TEST(ServerLimits, EndsAnHttp2BodyThatStops) {
  auto limits = patient();
  limits.body_timeout = milliseconds(100);
  Inbox<bool> failed;
  TestServer server(
      [&](ExchangePtr exchange) {
        exchange->read_body([&, exchange](Result<Bytes> body) { failed.put(!body.ok()); });
      },
      true, limits);
  testkit::Http2Client client(server.port());
  const StreamId stream = client.ask("POST", "/", false);
  client.send(stream, "half");
  EXPECT_TRUE(client.wait(stream).closed);
  EXPECT_EQ(failed.take(), true);
}

TEST(ServerLimits, EndsIdleConnections) {
  auto limits = patient();
  limits.idle_timeout = milliseconds(100);
  TestServer server(hello, true, limits);
  RawClient first(server.port(), {.tls = true});
  first.send(kGet);
  EXPECT_EQ(first.receive_response().status, 200);
  EXPECT_EQ(first.receive_all(), "");
  testkit::Http2Client second(server.port());
  EXPECT_EQ(second.wait(second.ask("GET", "/")).status, 200);
  second.wait_for_end();
  testkit::Http2Client silent(server.port());
  silent.wait_for_end();
}

TEST(ServerLimits, LetsARequestThatIsUnderWayTakeItsTime) {
  auto limits = patient();
  limits.idle_timeout = limits.head_timeout = limits.body_timeout = milliseconds(50);
  limits.handshake_timeout = std::chrono::seconds(5);
  for (const bool http2 : {false, true}) {
    std::unique_ptr<Timer> timer;
    TestServer server(
        [&](ExchangePtr exchange) {
          timer = std::make_unique<Timer>(exchange->loop(), [exchange] { hello(exchange); });
          timer->start(milliseconds(200));
        },
        true, limits, 1);
    if (http2) {
      testkit::Http2Client client(server.port());
      EXPECT_EQ(client.wait(client.ask("GET", "/")).status, 200);
    } else {
      RawClient client(server.port(), {.tls = true});
      client.send(kGet);
      EXPECT_EQ(client.receive_response().status, 200);
    }
    server.loops().at(0).run_and_wait([&] { timer.reset(); });
  }
}

TEST(ServerLimits, CutsOffAPeerThatDoesNotRead) {
  auto limits = patient();
  limits.write_timeout = milliseconds(100);
  const Bytes large(std::string(16 << 20, 'x'));
  for (const bool tls : {false, true}) {
    SCOPED_TRACE(tls);
    TestServer server(
        [&](ExchangePtr exchange) {
          exchange->respond({200, {}, large, {}});
        },
        tls, limits);
    RawClient client(server.port(), {.tls = tls, .receive_buffer = 4096});
    client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    client.receive_exactly(1000);
    EXPECT_TRUE(server.wait_for_connections(0));
    EXPECT_LT(client.receive_all().size(), large.size());
  }
}

TEST(ServerLimits, LetsASlowReaderTakeItsTime) {
  auto limits = patient();
  limits.write_timeout = milliseconds(300);
  const Bytes large(std::string(12 << 20, 'x'));
  TestServer server(
      [&](ExchangePtr exchange) {
        exchange->respond({200, {}, large, {}});
      },
      false, limits);
  RawClient client(server.port(), {.receive_buffer = 64 * 1024});
  client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(client.receive_response().body.size(), large.size());
}

TEST(LimitsFor, FitTheProcess) {
  constexpr size_t kMega = 1024 * 1024;
  struct Case {
    const char* name;
    Capacity capacity;
    size_t share;
    size_t connections;  // with the spare ones
    size_t bodies;
    size_t unsent;
  };
  const std::vector<Case> cases = {
      {"large", {1'048'576, size_t{64} << 30}, 8, 22'508, 256 * kMega, 1024 * kMega},
      {"usual shell", {1024, size_t{16} << 30}, 8, 755, 256 * kMega, 1024 * kMega},
      {"small", {1024, 256 * kMega}, 8, 755, 32 * kMega, 32 * kMega},
      {"little memory", {1'048'576, 256 * kMega}, 8, 1543, 32 * kMega, 32 * kMega},
      {"hardly any descriptors", {64, 256 * kMega}, 8, 14, 32 * kMega, 32 * kMega},
      {"a part", {1024, size_t{16} << 30}, 1, 101, 256 * kMega, 256 * kMega},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const ServerLimits limits = limits_for(c.capacity, c.share);
    const size_t most = limits.connections + spare_connections(limits.connections);
    EXPECT_EQ(most, c.connections);
    EXPECT_LT(most + outgoing_connections_for(c.capacity), c.capacity.descriptors);
    EXPECT_GE(outgoing_connections_for(c.capacity), 1U);
    EXPECT_EQ(limits.bodies.total, c.bodies);
    EXPECT_EQ(limits.unsent_total, c.unsent);
    EXPECT_GE(limits.heads.total, 16 * kMega);
    EXPECT_LE(limits.heads.total, c.capacity.descriptors <= 1024 ? 64 * kMega : 512 * kMega);
    EXPECT_LE(limits.heads.unread, limits.heads.total / 2);
    EXPECT_GE(limits.silent_connections, 1U);
    EXPECT_GE(limits.connections_per_address, 1U);
    // The largest body fits.
    EXPECT_LT(limits.body_bytes + 4096, limits.bodies.per_connection / 4 * 3);
    EXPECT_LT(limits.body_bytes + 4096, limits.bodies.per_payer / 4 * 3);
  }
}

}  // namespace limits_test
}  // namespace proa::http
