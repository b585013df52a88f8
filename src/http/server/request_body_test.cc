#include "http/server/request_body.h"

#include <gtest/gtest.h>
#include <poll.h>

#include "testkit/http/http2_client.h"
#include "testkit/http/inbox.h"
#include "testkit/http/raw_client.h"
#include "testkit/http/test_server.h"
#include "testkit/patience.h"

namespace proa::http {
namespace request_body_test {

using std::chrono::milliseconds;
using testkit::Http2Client;
using testkit::Inbox;
using testkit::RawClient;
using testkit::TestServer;

constexpr size_t kMega = 1024 * 1024;
constexpr size_t kLarge = 2'900'000;

// Room for two large bodies on a connection, of a payer and in all.
ServerLimits tight() {
  ServerLimits limits;
  limits.bodies = {.total = 8 * kMega, .per_payer = 8 * kMega, .per_connection = 8 * kMega};
  return limits;
}

// Answers with the length of the body. The path is the payer.
void measure(const ExchangePtr& exchange) {
  exchange->read_body(
      [exchange](Result<Bytes> body) {
        const int status = body.ok() ? 200 : body.status().code();
        exchange->respond({status, {}, Bytes(body.ok() ? std::to_string(body->size()) : ""), {}});
      },
      exchange->request().target);
}

StreamId post(Http2Client& client, const std::string& payer, size_t size) {
  return client.ask("POST", payer, false, {{"content-length", std::to_string(size)}});
}

// Lets the server handle what the client sent; false if it has disconnected.
bool settle(Http2Client& client) {
  client.ping();
  return client.read();
}

// The same until something holds. Only a server that is silent is pinged: endless pings are an
// attack.
template <class Question>
bool settles_until(Http2Client& client, const Question& question) {
  pollfd readable{client.raw().descriptor(), POLLIN, 0};
  while (!question()) {
    if (::poll(&readable, 1, 10) == 0) client.ping();
    if (!client.read()) return false;
  }
  return true;
}

TEST(RequestBody, UnfinishedBodiesOfManyStreamsAreNotHeld) {
  ServerLimits limits = tight();
  limits.bodies.total = 16 * kMega;
  limits.bodies.waiting = 50;
  TestServer server(measure, true, limits);
  std::vector<std::unique_ptr<Http2Client>> clients;
  size_t held = 0;
  for (int i = 0; i < 3; ++i) {
    clients.push_back(std::make_unique<Http2Client>(server.port()));
    Http2Client& client = *clients.back();
    std::vector<StreamId> streams;
    for (int j = 0; j < 100; ++j) {
      streams.push_back(post(client, "/hostile", kLarge));
      client.send(streams.back(), std::string(kLarge - 1, 'x'));
    }
    const auto taken = [&] {
      size_t sum = 0;
      for (const StreamId stream : streams) {
        if (!client.answer(stream).closed) sum += kLarge - 1 - client.unsent(stream);
      }
      return sum;
    };
    for (int j = 0; j < 20; ++j) EXPECT_TRUE(settle(client));
    if (i == 0) {
      ASSERT_TRUE(settles_until(client, [&] { return taken() >= 2 * (kLarge - 1); }));
    }
    held += taken();
  }
  // The budget of one user, and the initial windows of those that wait.
  EXPECT_LE(held, 6 * kMega + limits.bodies.waiting * limits.http2.stream_window);

  Http2Client honest(server.port());
  const StreamId small = post(honest, "/hostile", 1000);
  honest.send(small, std::string(1000, 's'));
  honest.end(small);
  EXPECT_EQ(honest.wait(small).body, "1000");
  const StreamId large = post(honest, "/honest", kLarge);
  honest.send(large, std::string(kLarge, 'l'));
  honest.end(large);
  EXPECT_EQ(honest.wait(large).body, std::to_string(kLarge));
}

TEST(RequestBody, WaitsForItsTurn) {
  TestServer server(measure, true, tight());
  Http2Client client(server.port());
  std::vector<StreamId> streams;
  for (int i = 0; i < 6; ++i) {
    streams.push_back(post(client, "/jane", kLarge));
    client.send(streams.back(), std::string(kLarge, 'x'));
    client.end(streams.back());
  }
  for (const StreamId stream : streams) EXPECT_EQ(client.wait(stream).status, 200);
}

TEST(RequestBody, IsRefusedWhenItWaitsForTooLong) {
  ServerLimits limits = tight();
  limits.body_timeout = std::chrono::seconds(2);  // long enough for the uploads on a busy machine
  limits.body_progress = 1;
  Inbox<Result<Bytes>> bodies;
  TestServer server(
      [&](ExchangePtr exchange) {
        if (exchange->request().target != "/keep") return measure(exchange);
        exchange->read_body([&, exchange](Result<Bytes> body) { bodies.put(std::move(body)); });
      },
      true, limits);
  for (const bool http2 : {true, false}) {
    SCOPED_TRACE(http2);
    // The room is taken as long as somebody uses the body, though its request is over.
    std::vector<Bytes> kept;
    for (int i = 0; i < 2; ++i) {
      Http2Client client(server.port());
      const StreamId stream = post(client, "/keep", kLarge);
      client.send(stream, std::string(kLarge, 'x'));
      client.end(stream);
      ASSERT_TRUE(settles_until(client, [&] { return !bodies.empty(); }));
      Result<Bytes> body = *bodies.take();
      ASSERT_TRUE(body.ok()) << body.status().message();
      kept.push_back(*std::move(body));
    }
    const std::string body(kLarge, 'y');
    if (http2) {
      Http2Client client(server.port());
      const StreamId stream = post(client, "/jane", kLarge);
      client.send(stream, body);
      EXPECT_EQ(client.wait(stream).status, 429);
      kept.clear();
      const StreamId again = post(client, "/jane", kLarge);
      client.send(again, body);
      client.end(again);
      EXPECT_EQ(client.wait(again).status, 200);
    } else {
      RawClient client(server.port(), {.tls = true});
      client.send("POST /jane HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(kLarge) +
                  "\r\n\r\n" + body.substr(0, 1000));
      EXPECT_EQ(client.receive_response().status, 429);
    }
  }
}

TEST(RequestBody, OfUnknownLengthTakesWhatItNeeds) {
  ServerLimits limits = tight();
  limits.bodies.total = limits.bodies.per_payer = 9 * kMega;
  TestServer server(measure, false, limits);
  const auto send = [&](RawClient& client, size_t chunks) {
    client.send("POST /jane HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (size_t i = 0; i < chunks; ++i)
      client.send("186a0\r\n" + std::string(100'000, 'c') + "\r\n");
  };
  RawClient alone(server.port());
  send(alone, 25);
  alone.send("0\r\n\r\n");
  EXPECT_EQ(alone.receive_response().body.view(), "2500000");
  RawClient first(server.port());
  RawClient second(server.port());
  send(first, 25);
  send(second, 25);
  // Once the server has read both, there is no room for a third.
  ASSERT_TRUE(testkit::holds_within(std::chrono::seconds(20),
                                    [&] { return server.server().body_bytes() >= 2 * 2'500'000; }));
  RawClient third(server.port());
  send(third, 20);
  third.send("0\r\n\r\n");
  EXPECT_EQ(third.receive_response().status, 429);
  for (RawClient* client : {&first, &second}) {
    client->send("0\r\n\r\n");
    EXPECT_EQ(client->receive_response().body.view(), "2500000");
  }
}

TEST(RequestBody, OverTheLimitIsRefusedBeforeItIsRead) {
  TestServer server(measure, true);
  Http2Client client(server.port());
  EXPECT_EQ(client.wait(post(client, "/", 100 * kMega)).status, 413);
}

TEST(RequestBody, PingsDoNotExtendItsTime) {
  ServerLimits limits;
  limits.body_timeout = milliseconds(1000);
  TestServer server(measure, true, limits);
  Http2Client client(server.port());
  const StreamId stream = post(client, "/", 1000);
  client.send(stream, "some");
  ASSERT_TRUE(settles_until(client, [&] { return client.answer(stream).ended; }));
  EXPECT_EQ(client.answer(stream).status, 504);
  // The connection serves others.
  const StreamId other = post(client, "/", 4);
  client.send(other, "1234");
  client.end(other);
  EXPECT_EQ(client.wait(other).body, "4");
}

TEST(RequestBody, ThatDripsIsGivenUp) {
  ServerLimits limits;
  limits.body_timeout = milliseconds(300);
  limits.body_progress = 100'000;
  TestServer server(measure, false, limits);
  RawClient client(server.port());
  client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n");
  pollfd wanted{client.descriptor(), POLLIN, 0};
  while (client.send("x") && ::poll(&wanted, 1, 5) == 0) continue;
  EXPECT_EQ(client.receive_response().status, 504);
  EXPECT_EQ(client.receive_all(), "");
}

TEST(RequestBody, AtASufficientRateMayTakeLong) {
  ServerLimits limits;
  limits.body_timeout = milliseconds(1000);
  limits.body_progress = 10;
  for (const bool http2 : {false, true}) {
    SCOPED_TRACE(http2);
    TestServer server(measure, false, limits);
    RawClient client(server.port());
    std::unique_ptr<Http2Client> second;
    StreamId stream = 0;
    if (http2) {
      second = std::make_unique<Http2Client>(server.port(), false);
      stream = post(*second, "/", 1010);
    } else {
      client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1010\r\n\r\n");
    }
    const auto send_some = [&] {
      if (http2) return second->send(stream, std::string(10, 'x'));
      client.send(std::string(10, 'x'));
    };
    pollfd wanted{client.descriptor(), POLLIN, 0};
    for (int i = 0; i < 100; ++i) {
      send_some();
      EXPECT_EQ(::poll(&wanted, 1, 25), 0);
    }
    send_some();
    if (http2) second->end(stream);
    EXPECT_EQ(http2 ? second->wait(stream).status : client.receive_response().status, 200);
  }
}

TEST(RequestBody, ThatNobodyReadsEndsItsRequest) {
  ServerLimits limits;
  limits.body_timeout = milliseconds(100);
  Inbox<bool> closed;
  TestServer server(
      [&](ExchangePtr exchange) { exchange->on_closed([&, exchange] { closed.put(true); }); }, true,
      limits);
  Http2Client client(server.port());
  post(client, "/", 1000);
  ASSERT_TRUE(settles_until(client, [&] { return !closed.empty(); }));
  EXPECT_TRUE(closed.take());
}

}  // namespace request_body_test
}  // namespace proa::http
