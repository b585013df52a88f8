#include <gtest/gtest.h>

#include <thread>

#include "base/threads/pool.h"
#include "testkit/http/http2_client.h"
#include "testkit/http/inbox.h"
#include "testkit/http/test_server.h"
#include "testkit/patience.h"

namespace proa::http {
namespace http2_connection_test {

namespace frames = testkit::frames;
using testkit::Http2Client;
using testkit::Inbox;
using testkit::RawClient;
using testkit::TestServer;

constexpr uint32_t kNoError = 0;
constexpr uint32_t kRefusedStream = 7;

void answer_target(ExchangePtr exchange) {
  exchange->respond(
      {200, {{"x-method", exchange->request().method}}, Bytes(exchange->request().target), {}});
}

TEST(Http2Connection, ServesManyStreamsAtOnce) {
  for (const bool tls : {true, false}) {
    Inbox<ExchangePtr> inbox;
    TestServer server([&](ExchangePtr exchange) { inbox.put(exchange); }, tls);
    Http2Client client(server.port(), tls);
    std::vector<StreamId> streams;
    std::vector<ExchangePtr> exchanges;
    for (int i = 0; i < 100; ++i) streams.push_back(client.ask("GET", "/" + std::to_string(i)));
    for (int i = 0; i < 100; ++i) {
      const auto exchange = inbox.take();
      ASSERT_TRUE(exchange);
      EXPECT_EQ((*exchange)->request().version, Version::kHttp2);
      EXPECT_EQ((*exchange)->request().authority, "localhost");
      exchanges.push_back(*exchange);
    }
    // In reverse order: streams do not wait for each other.
    for (auto exchange = exchanges.rbegin(); exchange != exchanges.rend(); ++exchange)
      answer_target(*exchange);
    for (int i = 0; i < 100; ++i) {
      const auto& answer = client.wait(streams[i]);
      EXPECT_EQ(answer.status, 200);
      EXPECT_EQ(answer.body, "/" + std::to_string(i));
      EXPECT_EQ(answer.closed, kNoError);
    }
  }
}

TEST(Http2Connection, IsAnsweredFromOtherThreads) {
  WorkerPool pool;
  TestServer server([&](ExchangePtr exchange) {
    ASSERT_TRUE(pool.submit([exchange] { answer_target(exchange); }));
  });
  Http2Client client(server.port());
  for (int round = 0; round < 5; ++round) {
    std::vector<StreamId> streams;
    for (int i = 0; i < 50; ++i) streams.push_back(client.ask("GET", "/x"));
    for (const auto stream : streams) EXPECT_EQ(client.wait(stream).body, "/x");
  }
}

TEST(Http2Connection, CarriesBodiesBothWays) {
  TestServer server(testkit::echo);
  Http2Client client(server.port());
  const std::string body(2'000'000, 'b');
  const StreamId stream = client.ask("POST", "/", false);
  client.send(stream, body);
  client.end(stream);
  EXPECT_EQ(client.wait(stream).body, body);
}

TEST(Http2Connection, CarriesTrailersBothWays) {
  TestServer server([](ExchangePtr exchange) {
    exchange->read_body([exchange](Result<Bytes> body) {
      exchange->start({200, {}});
      exchange->write(*body);
      exchange->finish({{"grpc-status", "0"}});
    });
  });
  Http2Client client(server.port());
  const StreamId stream = client.ask("POST", "/", false);
  client.send(stream, "x");
  client.end(stream, {{"sum", "1"}});
  const auto& answer = client.wait(stream);
  EXPECT_EQ(answer.body, "x");
  EXPECT_EQ(answer.trailers.get("grpc-status"), "0");
}

TEST(Http2Connection, AnswersHeadAndEmptyStatusesWithoutABody) {
  TestServer server([](ExchangePtr exchange) {
    const int status = exchange->request().target == "/204" ? 204 : 200;
    if (exchange->request().target == "/whole")
      return exchange->respond({200, {}, Bytes::of_static("abc"), {}});
    exchange->start({status, {}});
    exchange->write(Bytes::of_static("abc"));
    exchange->finish({{"t", "r"}});
  });
  Http2Client client(server.port());
  for (const auto* target : {"/whole", "/stream"}) {
    const auto& answer = client.wait(client.ask("HEAD", target));
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.body, "");
    EXPECT_EQ(answer.closed, kNoError);
  }
  EXPECT_EQ(client.wait(client.ask("GET", "/204")).body, "");
}

TEST(Http2Connection, ResetsTheRestOfARequestThatIsAnsweredEarly) {
  TestServer server([](ExchangePtr exchange) {
    exchange->respond({403, {}, Bytes::of_static("no"), {}});
  });
  Http2Client client(server.port());
  const StreamId stream = client.ask("POST", "/", false);
  client.send(stream, std::string(10'000'000, 'x'));  // never sent: the window is small
  const auto& answer = client.wait(stream);
  EXPECT_EQ(answer.status, 403);
  EXPECT_EQ(answer.body, "no");
  EXPECT_EQ(answer.closed, kNoError);
  // Unread bytes are credited to the connection window.
  for (int i = 0; i < 5; ++i) {
    const StreamId next = client.ask("POST", "/", false);
    client.send(next, std::string(500'000, 'x'));
    EXPECT_EQ(client.wait(next).status, 403);
  }
}

TEST(Http2Connection, RefusesBodiesOverTheLimit) {
  ServerLimits limits;
  limits.body_bytes = 100'000;
  TestServer server(testkit::echo, true, limits);
  Http2Client client(server.port());
  const StreamId stream = client.ask("POST", "/", false);
  client.send(stream, std::string(5'000'000, 'x'));
  EXPECT_EQ(client.wait(stream).status, 413);
}

TEST(Http2Connection, KeepsAStreamThatIsNotReadFromBlockingOthers) {
  Inbox<ExchangePtr> unread;
  Inbox<size_t> parts;
  ServerLimits limits;
  limits.http2.stream_window = 300'000;
  limits.body_timeout = std::chrono::seconds(1);
  TestServer server(
      [&](ExchangePtr exchange) {
        if (exchange->request().target == "/echo") return testkit::echo(exchange);
        exchange->stream_body(
            [&](std::optional<Bytes> part) { parts.put(part ? part->size() : 0); });
        unread.put(exchange);
      },
      true, limits);
  Http2Client client(server.port());
  const StreamId slow = client.ask("POST", "/slow", false);
  const auto exchange = unread.take();
  ASSERT_TRUE(exchange);
  client.send(slow, std::string(1'000'000, 's'));
  for (int i = 0; i < 20; ++i) {
    const StreamId quick = client.ask("POST", "/echo", false);
    client.send(quick, std::string(90'000, 'q'));
    client.end(quick);
    EXPECT_EQ(client.wait(quick).body.size(), 90'000U);
  }
  EXPECT_EQ(client.unsent(slow), 700'000U);
  // The reader on our side is slow, for which the client is not to blame.
  EXPECT_FALSE(
      testkit::holds_within(std::chrono::seconds(2), [&] { return (*exchange)->is_closed(); }));
  // Once it is read, the rest comes.
  client.end(slow);
  size_t total = 0;
  while (total < 1'000'000) {
    if (parts.empty()) {
      client.ping();
      ASSERT_TRUE(client.read());
      continue;
    }
    const size_t part = *parts.take();
    total += part;
    (*exchange)->consume(part);
  }
  (*exchange)->respond({200, {}, {}, {}});
  EXPECT_EQ(client.wait(slow).status, 200);
}

TEST(Http2Connection, CutsOffAStreamWhoseReaderFallsBehind) {
  ServerLimits limits;
  limits.unsent_bytes = 1 << 20;
  Inbox<ExchangePtr> inbox;
  Inbox<bool> closed;
  TestServer server(
      [&](ExchangePtr exchange) {
        if (exchange->request().target != "/watch") return answer_target(exchange);
        exchange->on_closed([&] { closed.put(true); });
        exchange->start({200, {}});
        inbox.put(exchange);
      },
      true, limits);
  Http2Limits small;
  small.stream_window = 10'000;
  Http2Client client(server.port(), true, small);
  const StreamId watch = client.ask("GET", "/watch");
  client.hold(watch);
  const auto exchange = inbox.take();
  ASSERT_TRUE(exchange);
  for (int i = 0; i < 100 && closed.empty(); ++i) {
    (*exchange)->loop().run_and_wait(
        [&] { (*exchange)->write(Bytes(std::string(64 * 1024, 'x'))); });
  }
  // Others live on, and the stream's end comes with an error.
  EXPECT_EQ(client.wait(client.ask("GET", "/other")).body, "/other");
  const auto& answer = client.wait(watch);
  EXPECT_FALSE(answer.ended);
  EXPECT_NE(answer.closed, kNoError);
  EXPECT_TRUE(closed.take());
}

TEST(Http2Connection, TellsAHandlerThatItsStreamWasReset) {
  Inbox<bool> closed;
  Inbox<ExchangePtr> started;
  TestServer server([&](ExchangePtr exchange) {
    if (exchange->request().target == "/") return answer_target(exchange);
    exchange->on_closed([&] { closed.put(true); });
    exchange->start({200, {}});
    started.put(exchange);
  });
  Http2Client client(server.port());
  const StreamId watch = client.ask("GET", "/watch");
  const auto exchange = started.take();
  ASSERT_TRUE(exchange);
  client.reset(watch);
  EXPECT_TRUE(closed.take());
  (*exchange)->write(Bytes::of_static("goes nowhere"));
  (*exchange)->finish();
  EXPECT_EQ(client.wait(client.ask("GET", "/")).status, 200);
}

TEST(Http2Connection, RefusesMoreStreamsThanAllowed) {
  ServerLimits limits;
  limits.http2.concurrent_streams = 10;
  Inbox<ExchangePtr> inbox;
  TestServer server([&](ExchangePtr exchange) { inbox.put(exchange); }, false, limits);
  RawClient client(server.port());
  std::string all = std::string(frames::kPreface) + frames::frame(frames::kSettings, 0, 0);
  for (uint32_t id = 1; id <= 23; id += 2) {
    all += frames::frame(frames::kHeaders, frames::kEndHeaders | frames::kEndStream, id,
                         frames::get_fields());
  }
  client.send(all);
  const std::string refused = frames::frame(frames::kReset, 0, 21, frames::number(kRefusedStream));
  EXPECT_TRUE(client.receive_until(refused).ends_with(refused));
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(inbox.take());
  server.loops().at(0).run_and_wait([] {});
  EXPECT_TRUE(inbox.empty());
}

TEST(Http2Connection, ResetsRequestsWithTooLargeHeaders) {
  ServerLimits limits;
  limits.http2.header_list_bytes = 2000;
  limits.http2.header_count = 20;
  TestServer server(answer_target, true, limits);
  Http2Client client(server.port(), true);
  Headers many;
  for (int i = 0; i < 30; ++i) many.add("x-" + std::to_string(i), "v");
  EXPECT_NE(client.wait(client.ask("GET", "/", true, many)).closed, kNoError);
  EXPECT_NE(client.wait(client.ask("GET", "/", true, {{"x", std::string(5000, 'v')}})).closed,
            kNoError);
  EXPECT_EQ(client.wait(client.ask("GET", "/")).status, 200);
}

TEST(Http2Connection, KeepsAnActiveConnectionPastTheIdleTimeout) {
  ServerLimits limits;
  limits.idle_timeout = std::chrono::milliseconds(80);
  TestServer server(answer_target, true, limits, 1);
  Loop& loop = server.loops().at(0);
  Inbox<bool> tick;
  std::unique_ptr<Timer> timer;
  loop.run_and_wait([&] { timer = std::make_unique<Timer>(loop, [&] { tick.put(true); }); });
  Http2Client client(server.port());
  for (int i = 0; i < 5; ++i) {
    ASSERT_EQ(client.wait(client.ask("GET", "/")).status, 200);
    loop.run_and_wait([&] { timer->start(std::chrono::milliseconds(40)); });
    ASSERT_TRUE(tick.take());
  }
  loop.run_and_wait([&] { timer.reset(); });
  client.wait_for_end();  // and then it is idle
}

TEST(Http2Connection, RefusesUpgrades) {
  TestServer server([](ExchangePtr exchange) {
    exchange->upgrade({}, [](std::unique_ptr<Socket>, const std::string&) { FAIL(); });
  });
  Http2Client client(server.port());
  EXPECT_EQ(client.wait(client.ask("GET", "/")).status, 400);
}

TEST(Http2Connection, FinishesOpenStreamsWhileDraining) {
  Inbox<ExchangePtr> inbox;
  Inbox<bool> draining;
  TestServer server([&](ExchangePtr exchange) {
    exchange->on_draining([&] { draining.put(true); });
    inbox.put(exchange);
  });
  Http2Client client(server.port());
  const StreamId stream = client.ask("GET", "/late");
  const auto exchange = inbox.take();
  ASSERT_TRUE(exchange);
  std::thread drainer([&] { server.server().drain(); });
  EXPECT_TRUE(draining.take());
  while (!client.goaway()) ASSERT_TRUE(client.read());
  answer_target(*exchange);
  EXPECT_EQ(client.wait(stream).body, "/late");
  client.wait_for_end();
  client.raw().cut_off();
  drainer.join();
  EXPECT_EQ(server.server().connections(), 0U);
}

}  // namespace http2_connection_test
}  // namespace proa::http
