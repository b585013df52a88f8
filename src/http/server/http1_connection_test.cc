#include <gtest/gtest.h>

#include <atomic>

#include "base/threads/pool.h"
#include "testkit/http/inbox.h"
#include "testkit/http/raw_client.h"
#include "testkit/http/test_server.h"

namespace proa::http {
namespace http1_connection_test {

using testkit::Inbox;
using testkit::RawClient;
using testkit::TestServer;

constexpr std::string_view kGet = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

void answer_target(ExchangePtr exchange) {
  exchange->respond({200, {}, Bytes(exchange->request().target), {}});
}

std::string post(std::string_view body, std::string_view more = "") {
  return "POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
         std::string(more) + "\r\n" + std::string(body);
}

// Streams `body` in three parts.
void stream_answer(ExchangePtr exchange) {
  exchange->start({200, {{"content-type", "text/plain"}}});
  for (const auto* part : {"one ", "two ", "three"}) exchange->write(Bytes::of_static(part));
  exchange->finish();
}

TEST(Http1Connection, AnswersHttp10UntilCloseWithoutChunks) {
  TestServer server(stream_answer, false);
  RawClient client(server.port());
  client.send("GET / HTTP/1.0\r\n\r\n");
  const std::string answer = client.receive_all();
  EXPECT_TRUE(answer.starts_with("HTTP/1.0 200 OK\r\n")) << answer;
  EXPECT_TRUE(answer.ends_with("\r\n\r\none two three")) << answer;
  EXPECT_EQ(answer.find("chunked"), std::string::npos);
  EXPECT_NE(answer.find("connection: close"), std::string::npos);
}

TEST(Http1Connection, KeepsHttp10AliveWhenAsked) {
  TestServer server(answer_target, false);
  RawClient client(server.port());
  for (const auto* path : {"/a", "/b"}) {
    client.send("GET " + std::string(path) + " HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    const auto response = client.receive_response();
    EXPECT_EQ(response.body.view(), path);
    EXPECT_EQ(response.headers.get("connection"), "keep-alive");
  }
}

TEST(Http1Connection, KeepsHttp11AliveAndClosesWhenAsked) {
  TestServer server(answer_target, false);
  RawClient client(server.port());
  for (int i = 0; i < 3; ++i) {
    client.send(kGet);
    EXPECT_FALSE(client.receive_response().headers.has("connection"));
  }
  client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(client.receive_response().headers.get("connection"), "close");
  EXPECT_EQ(client.receive_all(), "");
}

std::string ten_requests() {
  std::string all;
  for (int i = 0; i < 10; ++i) all += "GET /" + std::to_string(i) + " HTTP/1.1\r\nHost: a\r\n\r\n";
  return all;
}

void expect_ten_answers(RawClient& client) {
  for (int i = 0; i < 10; ++i)
    EXPECT_EQ(client.receive_response().body.view(), "/" + std::to_string(i));
}

TEST(Http1Connection, AnswersPipelinedRequestsInOrder) {
  TestServer server(answer_target, false);
  RawClient client(server.port());
  client.send(ten_requests());
  expect_ten_answers(client);
}

TEST(Http1Connection, AnswersPipelinedRequestsInOrderFromOtherThreads) {
  WorkerPool pool;
  std::atomic<int> under_way{0};
  std::atomic<int> most{0};
  TestServer server(
      [&](ExchangePtr exchange) {
        most = std::max<int>(most, ++under_way);
        ASSERT_TRUE(pool.submit([exchange, &under_way] {
          --under_way;
          answer_target(exchange);
        }));
      },
      true);
  RawClient client(server.port(), {.tls = true});
  client.send(ten_requests());
  expect_ten_answers(client);
  EXPECT_EQ(most, 1);
}

TEST(Http1Connection, AnswersPipelinedRequestsOfAClientThatClosedItsDirection) {
  Inbox<ExchangePtr> inbox;
  TestServer server([&](ExchangePtr exchange) { inbox.put(exchange); }, false);
  RawClient client(server.port());
  client.send(ten_requests());
  client.end();
  for (int i = 0; i < 10; ++i) {
    const auto exchange = inbox.take();
    ASSERT_TRUE(exchange);
    answer_target(*exchange);
    EXPECT_EQ(client.receive_response().body.view(), "/" + std::to_string(i));
  }
  EXPECT_EQ(client.receive_all(), "");
}

TEST(Http1Connection, GivesAHalfClosedClientItsWholeLargeAnswer) {
  const Bytes large(std::string(8 << 20, 'x'));
  for (const bool tls : {false, true}) {
    SCOPED_TRACE(tls);
    TestServer server([&](ExchangePtr exchange) { exchange->respond({200, {}, large, {}}); }, tls);
    RawClient client(server.port(), {.tls = tls, .receive_buffer = 4096});
    client.send(kGet);
    client.end();
    EXPECT_EQ(client.receive_response().body.size(), large.size());
  }
}

TEST(Http1Connection, GathersChunkedBodiesWithExtensionsAndTrailers) {
  TestServer server(testkit::echo, false);
  RawClient client(server.port());
  for (const bool at_once : {true, false}) {
    const std::string request =
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
        "5;name=value;other=\"quoted; text\"\r\nhello\r\n6\r\n world\r\n0;last\r\nX-Sum: 1\r\n\r\n";
    if (at_once) {
      client.send(request);
    } else {
      for (const char c : request) client.send({&c, 1});
    }
    EXPECT_EQ(client.receive_response().body.view(), "hello world");
  }
}

TEST(Http1Connection, TellsClientsThatWaitToContinue) {
  TestServer server(testkit::echo, false);
  RawClient client(server.port());
  client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(client.receive_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.send("hello");
  EXPECT_EQ(client.receive_response().body.view(), "hello");
}

TEST(Http1Connection, AnswersHeadWithoutABody) {
  TestServer server(
      [](ExchangePtr exchange) {
        if (exchange->request().target == "/whole")
          return exchange->respond({200, {}, Bytes::of_static("12345"), {}});
        if (exchange->request().target == "/trailers") {
          return exchange->respond({200, {}, Bytes::of_static("12345"), {{"a", "b"}}});
        }
        stream_answer(exchange);
      },
      false);
  RawClient client(server.port());
  for (const auto* path : {"/whole", "/trailers", "/stream", "/whole"}) {
    SCOPED_TRACE(path);
    client.send("HEAD " + std::string(path) + " HTTP/1.1\r\nHost: a\r\n\r\n");
    const auto response = client.receive_response(true);
    EXPECT_EQ(response.status, 200);
    EXPECT_EQ(response.headers.get("content-length"), path == std::string("/stream") ? "" : "5");
  }
}

TEST(Http1Connection, SendsNoBodyWhereTheStatusForbidsOne) {
  TestServer server(
      [](ExchangePtr exchange) {
        const int status = exchange->request().target == "/204" ? 204 : 304;
        if (exchange->request().method == "GET")
          return exchange->respond({status, {}, Bytes::of_static("no"), {}});
        exchange->start({status, {}});
        exchange->write(Bytes::of_static("no"));
        exchange->finish();
      },
      false);
  RawClient client(server.port());
  for (const auto* request : {"GET /204", "GET /304", "POST /204", "POST /304"}) {
    SCOPED_TRACE(request);
    client.send(std::string(request) + " HTTP/1.1\r\nHost: a\r\n\r\n");
    const std::string head = client.receive_until("\r\n\r\n");
    EXPECT_EQ(head.find("content-length"), std::string::npos) << head;
    EXPECT_EQ(head.find("transfer-encoding"), std::string::npos) << head;
  }
  client.send("GET /204 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  EXPECT_TRUE(client.receive_all().ends_with("\r\n\r\n"));
}

TEST(Http1Connection, AnswersEarlyAndClosesWhenTheBodyIsNotRead) {
  TestServer server(
      [](ExchangePtr exchange) {
        exchange->respond({403, {}, Bytes::of_static("no"), {}});
      },
      false);
  RawClient client(server.port());
  client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 50000000\r\n\r\n");
  // More than fits into the kernel's buffers: a server that just closed would answer with a reset.
  const std::string part(1 << 20, 'x');
  for (int i = 0; i < 8; ++i) {
    if (!client.send(part)) break;
  }
  const auto response = client.receive_response();
  EXPECT_EQ(response.status, 403);
  EXPECT_EQ(response.headers.get("connection"), "close");
  EXPECT_EQ(response.body.view(), "no");
  client.end();
  EXPECT_EQ(client.receive_all(), "");
}

TEST(Http1Connection, StreamsInChunksWithTrailers) {
  TestServer server(
      [](ExchangePtr exchange) {
        exchange->start({200, {}});
        exchange->write(Bytes::of_static("abc"));
        exchange->finish({{"x-status", "fine"}});
      },
      false);
  RawClient client(server.port());
  for (int i = 0; i < 2; ++i) {
    client.send(kGet);
    const auto response = client.receive_response();
    EXPECT_EQ(response.body.view(), "abc");
    EXPECT_EQ(response.trailers.get("x-status"), "fine");
  }
}

TEST(Http1Connection, RefusesBodiesOverTheLimit) {
  ServerLimits limits;
  limits.body_bytes = 1000;
  TestServer server(testkit::echo, false, limits);
  {
    RawClient client(server.port());
    client.send(post(std::string(1000, 'x')));
    EXPECT_EQ(client.receive_response().status, 200);
    client.send(post(std::string(1001, 'x')));
    EXPECT_EQ(client.receive_response().status, 413);
  }
  RawClient chunked(server.port());
  chunked.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
  for (int i = 0; i < 30; ++i) chunked.send("32\r\n" + std::string(50, 'x') + "\r\n");
  const auto response = chunked.receive_response();
  EXPECT_EQ(response.status, 413);
  EXPECT_EQ(response.headers.get("connection"), "close");
}

TEST(Http1Connection, HoldsASenderBackUntilItsBodyIsRead) {
  ServerLimits limits;
  limits.unread_bytes = 64 * 1024;
  limits.body_timeout = std::chrono::milliseconds(100);  // for the sender, not for our reader
  Inbox<ExchangePtr> exchanges;
  Inbox<size_t> parts;
  TestServer server(
      [&](ExchangePtr exchange) {
        exchange->stream_body(
            [&parts](std::optional<Bytes> part) { parts.put(part ? part->size() : 0); });
        exchanges.put(exchange);
      },
      false, limits);
  RawClient client(server.port());
  constexpr size_t kSize = 16 << 20;
  client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(kSize) +
              "\r\n\r\n");
  const auto exchange = exchanges.take();
  ASSERT_TRUE(exchange);

  const std::string block(1 << 20, 'x');
  size_t sent = 0;
  size_t unread = 0;
  // The server stops reading well before the body is through: what fits is its limit, a read, and
  // the buffers of the kernel.
  while (unread <= limits.unread_bytes) {
    sent += client.send_some(block);
    const auto part = parts.take();
    ASSERT_TRUE(part);
    unread += *part;
  }
  EXPECT_LE(unread, limits.unread_bytes + 2 * 64 * 1024);
  while (const size_t more = client.send_some(block)) sent += more;
  EXPECT_LT(sent, kSize);
  // Longer than the body timeout: the handler is slow, not the peer.
  Timer* timer = nullptr;
  Inbox<bool> later;
  server.loops().at(0).run_and_wait([&] {
    timer = new Timer(server.loops().at(0), [&] { later.put(true); });
    timer->start(std::chrono::milliseconds(200));
  });
  ASSERT_TRUE(later.take());
  server.loops().at(0).run_and_wait([&] { delete timer; });
  EXPECT_TRUE(parts.empty());

  (*exchange)->consume(unread);
  size_t read = unread;
  while (read < kSize) {
    if (sent < kSize)
      sent +=
          client.send_some(std::string_view(block).substr(0, std::min(block.size(), kSize - sent)));
    if (parts.empty() && sent < kSize) continue;
    const auto part = parts.take();
    ASSERT_TRUE(part);
    read += *part;
    (*exchange)->consume(*part);
  }
  EXPECT_EQ(read, kSize);
  EXPECT_EQ(parts.take(), 0U);
  (*exchange)->respond({200, {}, {}, {}});
  EXPECT_EQ(client.receive_response().status, 200);
}

TEST(Http1Connection, CutsOffAReaderThatFallsBehind) {
  ServerLimits limits;
  limits.unsent_bytes = 1 << 20;
  Inbox<bool> closed;
  Inbox<ExchangePtr> exchanges;
  TestServer server(
      [&](ExchangePtr exchange) {
        exchange->on_closed([&] { closed.put(true); });
        exchange->start({200, {}});
        exchanges.put(exchange);
      },
      false, limits);
  RawClient client(server.port(), {.receive_buffer = 4096});
  client.send(kGet);
  const auto exchange = exchanges.take();
  ASSERT_TRUE(exchange);
  const Bytes part(std::string(64 * 1024, 'x'));
  size_t written = 0;
  while (closed.empty() && written < (64U << 20)) {
    (*exchange)->loop().run_and_wait([&] { (*exchange)->write(part); });
    written += part.size();
    EXPECT_LE((*exchange)->unsent(), limits.unsent_bytes + 2 * part.size());
  }
  EXPECT_TRUE(closed.take());
  EXPECT_LT(written, 64U << 20);
}

TEST(Http1Connection, TellsAWriterWhenLittleIsLeftUnsent) {
  Inbox<ExchangePtr> exchanges;
  Inbox<bool> drained;
  TestServer server(
      [&](ExchangePtr exchange) {
        exchange->start({200, {}});
        exchanges.put(exchange);
      },
      false);
  RawClient client(server.port(), {.receive_buffer = 4096});
  client.send(kGet);
  const auto exchange = exchanges.take();
  ASSERT_TRUE(exchange);
  const Bytes part(std::string(1 << 20, 'x'));
  size_t written = 0;
  while ((*exchange)->unsent() <= Socket::kLowWater) {
    (*exchange)->loop().run_and_wait([&] { (*exchange)->write(part); });
    written += part.size();
  }
  (*exchange)->on_drained([&] { drained.put(true); });
  EXPECT_TRUE(drained.empty());
  client.receive_until("\r\n\r\n");
  for (size_t read = 0; read < written - Socket::kLowWater;) read += client.receive().size();
  EXPECT_TRUE(drained.take());
  EXPECT_LE((*exchange)->unsent(), Socket::kLowWater);
  (*exchange)->finish();
  EXPECT_TRUE(client.receive_until("\r\n0\r\n\r\n").ends_with("\r\n0\r\n\r\n"));
}

TEST(Http1Connection, TellsAStreamingHandlerThatThePeerIsGone) {
  for (const bool politely : {true, false}) {
    Inbox<bool> closed;
    TestServer server(
        [&](ExchangePtr exchange) {
          exchange->on_closed([&] { closed.put(true); });
          exchange->start({200, {}});
          exchange->write(Bytes::of_static("first"));
        },
        false);
    RawClient client(server.port());
    client.send(kGet);
    client.receive_until("first");
    EXPECT_TRUE(closed.empty());
    politely ? client.end() : client.reset();
    EXPECT_TRUE(closed.take());
  }
}

TEST(Http1Connection, ToldOfACutBodyIsItsReaderButNotOfAnEnd) {
  Inbox<std::string> events;
  TestServer server(
      [&](ExchangePtr exchange) {
        exchange->stream_body(
            [&](std::optional<Bytes> part) { events.put(part ? part->str() : "end"); });
        exchange->on_closed([&] { events.put("closed"); });
      },
      false);
  RawClient client(server.port());
  client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhalf");
  EXPECT_EQ(events.take(), "half");
  client.end();
  EXPECT_EQ(events.take(), "closed");
}

TEST(Http1Connection, SurvivesAnAbortFromInsideTheBodyCallback) {
  Inbox<std::string> events;
  TestServer server(
      [&](ExchangePtr exchange) {
        const std::string captured(100, 'c');
        exchange->stream_body([&events, exchange, captured](std::optional<Bytes>) {
          exchange->abort();
          events.put(captured);  // still alive, although the exchange dropped this callback
        });
      },
      false);
  RawClient client(server.port());
  client.send(post("body"));
  EXPECT_EQ(events.take(), std::string(100, 'c'));
  EXPECT_EQ(client.receive_all(), "");
}

TEST(Http1Connection, KeepsAnActiveConnectionPastTheHeadTimeout) {
  ServerLimits limits;
  limits.head_timeout = std::chrono::milliseconds(60);
  limits.idle_timeout = std::chrono::seconds(30);
  Inbox<bool> tick;
  std::unique_ptr<Timer> timer;
  TestServer server(answer_target, false, limits, 1);
  Loop& loop = server.loops().at(0);
  RawClient client(server.port());
  loop.run_and_wait([&] { timer = std::make_unique<Timer>(loop, [&] { tick.put(true); }); });
  for (int i = 0; i < 5; ++i) {
    client.send(kGet);
    ASSERT_EQ(client.receive_response().status, 200);
    loop.run_and_wait([&] { timer->start(std::chrono::milliseconds(40)); });
    ASSERT_TRUE(tick.take());
  }
  loop.run_and_wait([&] { timer.reset(); });
}

TEST(Http1Connection, RefusesHeadsThatFindNoRoom) {
  ServerLimits limits;
  limits.heads.total = 30 * 1024;
  Inbox<ExchangePtr> open;
  TestServer server([&](ExchangePtr exchange) { open.put(std::move(exchange)); }, false, limits, 1);
  const std::string large =
      "GET / HTTP/1.1\r\nHost: a\r\nX: " + std::string(10'000, 'x') + "\r\n\r\n";
  RawClient first(server.port());
  RawClient second(server.port());
  first.send(large);
  ExchangePtr exchange = open.take().value();
  second.send(large);
  const ExchangePtr kept = open.take().value();
  RawClient refused(server.port());
  refused.send(large);
  EXPECT_EQ(refused.receive_response().status, 503);
  EXPECT_EQ(refused.receive_all(), "");
  EXPECT_TRUE(open.empty());
  exchange->respond({200, {}, {}, {}});
  EXPECT_EQ(first.receive_response().status, 200);
  server.loops().at(0).run_and_wait([&] { exchange.reset(); });
  first.send(large);
  EXPECT_TRUE(open.take());
}

}  // namespace http1_connection_test
}  // namespace proa::http
