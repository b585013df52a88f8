#include "http/forward/forward.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "testkit/http/forwarding_server.h"
#include "testkit/http/http2_client.h"
#include "testkit/http/inbox.h"
#include "testkit/http/raw_client.h"
#include "testkit/http/scripted_server.h"
#include "testkit/http/test_server.h"

namespace proa::http {
namespace forward_test {

using Front = testkit::ForwardingServer;
using testkit::Http2Client;
using testkit::Inbox;
using testkit::RawClient;
using testkit::ScriptedPeer;
using testkit::ScriptedServer;
using testkit::TestServer;

Origin origin_of(const TestServer& server) {
  return {
      .tls = false, .host = "127.0.0.1", .port = server.port(), .unix_path = {}, .server_name = {}};
}

constexpr size_t kAll = 64U << 20;  // more than all buffers between two ends take

// Sends the body back as it comes.
void echo_stream(const ExchangePtr& exchange) {
  exchange->start({200, {}});
  exchange->stream_body([exchange](std::optional<Bytes> part) {
    if (!part) return exchange->finish({{"x-sum", "all of it"}});
    exchange->consume(part->size());
    exchange->write(std::move(*part));
  });
}

TEST(EndToEnd, LeavesOutWhatIsAboutOneConnection) {
  const Headers kept = end_to_end({{"connection", "close, X-Mine"},
                                   {"keep-alive", "5"},
                                   {"x-mine", "1"},
                                   {"te", "trailers"},
                                   {"transfer-encoding", "chunked"},
                                   {"proxy-authorization", "secret"},
                                   {"upgrade", "h2c"},
                                   {"http2-settings", "AAA"},
                                   {"x-kept", "a"},
                                   {"x-kept", "b"}});
  ASSERT_EQ(kept.size(), 2U);
  EXPECT_EQ(kept.all("x-kept").size(), 2U);
}

TEST(WantsUpgrade, MeansOneOfTwoProtocolsAndNothingElse) {
  struct Case {
    std::string name;
    bool wanted;
    Headers headers;
    Version version = Version::kHttp11;
  };
  for (const Case& c : {
           Case{"websocket", true, {{"connection", "Upgrade"}, {"upgrade", "websocket"}}},
           Case{"spdy", true, {{"connection", "keep-alive, upgrade"}, {"upgrade", "SPDY/3.1"}}},
           Case{"empty body",
                true,
                {{"connection", "Upgrade"}, {"upgrade", "SPDY/3.1"}, {"content-length", "0"}}},
           Case{"not in connection", false, {{"upgrade", "websocket"}}},
           Case{"no protocol", false, {{"connection", "Upgrade"}}},
           Case{"h2c", false, {{"connection", "Upgrade"}, {"upgrade", "h2c"}}},
           Case{"a choice", false, {{"connection", "Upgrade"}, {"upgrade", "websocket, h2c"}}},
           Case{"two fields",
                false,
                {{"connection", "Upgrade"}, {"upgrade", "websocket"}, {"upgrade", "h2c"}}},
           Case{"a body",
                false,
                {{"connection", "Upgrade"}, {"upgrade", "SPDY/3.1"}, {"content-length", "3"}}},
           Case{"chunks",
                false,
                {{"connection", "Upgrade"},
                 {"upgrade", "SPDY/3.1"},
                 {"transfer-encoding", "chunked"}}},
           Case{"http/1.0",
                false,
                {{"connection", "Upgrade"}, {"upgrade", "websocket"}},
                Version::kHttp10},
       }) {
    RequestHead head;
    head.version = c.version;
    head.headers = c.headers;
    EXPECT_EQ(wants_upgrade(head), c.wanted) << c.name;
  }
}

TEST(Forward, CarriesRequestsOfBothVersions) {
  TestServer backend(testkit::echo, false);
  Front front(origin_of(backend));
  RawClient old(front.port());
  old.send("GET /x HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(old.receive_response().body.view(), "hello");
  old.send("PUT /x HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbody");
  EXPECT_EQ(old.receive_response().body.view(), "body");
  Http2Client young(front.port(), false);
  const StreamId get = young.ask("GET", "/x");
  EXPECT_EQ(young.wait(get).body, "hello");
  const StreamId post = young.ask("POST", "/x", false);
  young.send(post, "body");
  young.end(post);
  EXPECT_EQ(young.wait(post).body, "body");
  EXPECT_EQ(front.connections(), 1U);
  EXPECT_TRUE(front.forgot_all());
}

TEST(Forward, KeepsTheFramingOfTheBody) {
  struct Case {
    std::string_view sent;
    std::string_view seen;    // in the head
    std::string_view absent;  // from the head
    std::string_view body;
  };
  for (const Case& c :
       {Case{"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\nabc",
             "content-length: 3\r\n", "expect", "abc"},
        Case{
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
            "transfer-encoding: chunked\r\n", "content-length", "3\r\nabc\r\n0\r\n\r\n"},
        Case{"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc", "content-length: 3\r\n",
             "chunked", "abc"},
        Case{"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n", "content-length: 0\r\n",
             "chunked", ""},
        Case{"DELETE / HTTP/1.1\r\nHost: a\r\n\r\n", "DELETE / HTTP/1.1\r\nhost: a\r\n", "chunked",
             ""},
        Case{"GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
             "HTTP2-Settings: AAA\r\n\r\n",
             "GET / HTTP/1.1\r\n", "pgrade", ""}}) {
    SCOPED_TRACE(c.sent);
    Inbox<std::string> heads;
    Inbox<std::string> bodies;
    ScriptedServer backend([&](ScriptedPeer& peer, int) {
      heads.put(peer.receive_until("\r\n\r\n"));
      bodies.put(peer.receive_exactly(c.body.size()));
      peer.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
      peer.receive_all();
    });
    Front front(backend.origin());
    RawClient client(front.port());
    client.send(c.sent);
    const std::string head = heads.take().value_or("");
    EXPECT_NE(head.find(c.seen), std::string::npos) << head;
    EXPECT_EQ(head.find(c.absent), std::string::npos) << head;
    EXPECT_EQ(bodies.take(), c.body);
    if (c.sent.find("Expect") != std::string_view::npos) {
      EXPECT_EQ(client.receive_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
    }
    EXPECT_EQ(client.receive_response().body.view(), "ok");
  }
}

TEST(Forward, StreamsLargeBodiesBothWaysAtOnce) {
  TestServer backend(echo_stream, false);
  Front front(origin_of(backend));
  const std::string block(1 << 20, 'x');
  Http2Client client(front.port(), false);
  const StreamId stream = client.ask("POST", "/", false);
  for (int i = 0; i < 8; ++i) client.send(stream, block);
  client.end(stream);
  const auto& answer = client.wait(stream);
  EXPECT_EQ(answer.body.size(), 8 * block.size());
  EXPECT_EQ(answer.trailers.get("x-sum"), "all of it");

  RawClient old(front.port());
  old.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nping\r\n");
  // The answer begins before the request has ended.
  EXPECT_NE(old.receive_until("ping\r\n").find("200 OK"), std::string::npos);
  old.send("4\r\npong\r\n0\r\n\r\n");
  EXPECT_NE(old.receive_until("pong\r\n").size(), 0U);
  EXPECT_EQ(old.receive_until("\r\n\r\n"), "0\r\nx-sum: all of it\r\n\r\n");
  EXPECT_TRUE(front.forgot_all());
}

TEST(Forward, HoldsBackAClientForASlowServer) {
  Inbox<bool> read;
  Inbox<size_t> seen;
  ScriptedServer backend([&](ScriptedPeer& peer, int) {
    peer.receive_until("\r\n\r\n");
    read.take();
    size_t size = 0;
    while (size < kAll) size += peer.receive().size();
    seen.put(size);
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    peer.receive_all();
  });
  Front front(backend.origin());
  RawClient client(front.port());
  client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(kAll) + "\r\n\r\n");
  const std::string block(1 << 20, 'x');
  size_t sent = 0;
  int refused = 0;
  while (sent < kAll && refused < 100) {
    const size_t now = client.send_some(std::string_view(block).substr(0, kAll - sent));
    sent += now;
    refused = now == 0 ? refused + 1 : 0;
    if (now == 0) front.loop().run_and_wait([] {});
  }
  EXPECT_LT(sent, kAll / 2);
  read.put(true);
  while (sent < kAll) {
    const std::string_view next = std::string_view(block).substr(0, kAll - sent);
    ASSERT_TRUE(client.send(next));
    sent += next.size();
  }
  EXPECT_EQ(seen.take(), kAll);
  EXPECT_EQ(client.receive_response().status, 200);
}

TEST(Forward, HoldsBackAServerForASlowClient) {
  std::atomic<size_t> written = 0;
  const Bytes block(std::string(1 << 18, 'x'));
  TestServer backend(
      [&](const ExchangePtr& exchange) {
        exchange->start({200, {{"content-length", std::to_string(kAll)}}});
        const auto more = [&written, &block, weak = std::weak_ptr<Exchange>(exchange)] {
          const auto live = weak.lock();
          while (live && written < kAll && live->unsent() <= Socket::kLowWater) {
            written += block.size();
            live->write(block);
            if (written == kAll) live->finish();
          }
        };
        exchange->on_drained(more);
        more();
      },
      false);
  Front front(origin_of(backend));
  for (const bool http2 : {false, true}) {
    SCOPED_TRACE(http2);
    written = 0;
    if (http2) {
      Http2Client client(front.port(), false, Http2Limits{});
      const StreamId stream = client.ask("GET", "/");
      client.hold(stream);
      while (client.answer(stream).body.size() < Http2Limits{}.stream_window) client.read();
      for (int i = 0; i < 200; ++i) front.loop().run_and_wait([] {});
      EXPECT_LT(written, kAll / 2);
      continue;
    }
    RawClient client(front.port(), {.receive_buffer = 4096});
    client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    client.receive_until("\r\n\r\n");
    for (int i = 0; i < 200; ++i) front.loop().run_and_wait([] {});
    EXPECT_LT(written, kAll / 2);
    EXPECT_EQ(client.receive_exactly(kAll).size(), kAll);
  }
}

TEST(Forward, CallsOffWhatNobodyWaitsFor) {
  for (const bool with_head : {false, true}) {
    SCOPED_TRACE(with_head);
    Inbox<bool> asked;
    Inbox<std::string> behind;
    ScriptedServer backend([&](ScriptedPeer& peer, int) {
      peer.receive_until("\r\n\r\n");
      if (with_head) peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
      asked.put(true);
      behind.put(peer.receive_all());
    });
    Front front(backend.origin());
    RawClient client(front.port());
    client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    ASSERT_TRUE(asked.take());
    if (with_head) client.receive_until("\r\n\r\n");
    client.reset();
    EXPECT_EQ(behind.take(), "");
    EXPECT_EQ(front.answered.take(), with_head ? 200 : 503);
    EXPECT_TRUE(front.answered.empty());
    EXPECT_TRUE(front.forgot_all());

    Http2Client other(front.port(), false);
    const StreamId stream = other.ask("POST", "/", false);
    other.send(stream, "some");
    ASSERT_TRUE(asked.take());
    other.reset(stream);
    // Without the chunk that would end it.
    EXPECT_EQ(behind.take(), "4\r\nsome\r\n");
    EXPECT_TRUE(front.forgot_all());
  }
}

TEST(Forward, SaysWhenTheOtherServerCantBeAsked) {
  ScriptedServer rude([](ScriptedPeer& peer, int) {
    peer.receive_until("\r\n\r\n");
    peer.send("nonsense\r\n\r\n");
  });
  ScriptedServer gone([](ScriptedPeer& peer, int) { peer.receive_until("\r\n\r\n"); });
  // Two lengths: which one applies decides where the next response begins.
  ScriptedServer smuggler([](ScriptedPeer& peer, int) {
    peer.receive_until("\r\n\r\n");
    peer.send(
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"
        "0\r\n\r\nHTTP/1.1 200 OK\r\n\r\n");
    peer.receive_all();
  });
  ScriptedServer switcher([](ScriptedPeer& peer, int) {
    peer.receive_until("\r\n\r\n");
    peer.send(
        "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n");
    EXPECT_EQ(peer.receive_all(), "");
  });
  Origin nobody = rude.origin();
  nobody.port = 1;
  for (const Origin& origin :
       {rude.origin(), gone.origin(), smuggler.origin(), switcher.origin(), nobody}) {
    Front front(origin);
    RawClient client(front.port());
    client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    const Response answer = client.receive_response();
    EXPECT_EQ(answer.status, 503);
    EXPECT_EQ(answer.headers.get("x-failed"), "yes");
    EXPECT_EQ(front.answered.take(), 503);
    EXPECT_TRUE(front.forgot_all());
  }
}

TEST(Forward, BreaksOffAnAnswerThatBreaksOff) {
  ScriptedServer backend([](ScriptedPeer& peer, int) {
    peer.receive_until("\r\n\r\n");
    peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n");
  });
  Front front(backend.origin());
  RawClient client(front.port());
  client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  const std::string all = client.receive_all();
  EXPECT_EQ(all.find("\r\n0\r\n"), std::string::npos) << all;
  Http2Client other(front.port(), false);
  const StreamId stream = other.ask("GET", "/");
  const auto& answer = other.wait(stream);
  EXPECT_FALSE(answer.ended);
  EXPECT_NE(answer.closed.value_or(0), 0U);
  EXPECT_TRUE(front.forgot_all());
}

TEST(Forward, EndsWhatTakesTooLong) {
  Inbox<ExchangePtr> held;
  TestServer server(
      [&](const ExchangePtr& exchange) {
        if (exchange->request().target == "/begun") {
          exchange->start({200, {}});
          exchange->write(Bytes("begun"));
        }
        held.put(exchange);
      },
      false);
  Front front(origin_of(server), {.timeout = std::chrono::milliseconds(50)});
  RawClient client(front.port());
  client.send("GET /silent HTTP/1.1\r\nHost: a\r\n\r\n");
  const Response response = client.receive_response();
  EXPECT_EQ(response.status, 504);
  EXPECT_EQ(response.body.str(), "context deadline exceeded");
  RawClient other(front.port());
  other.send("GET /begun HTTP/1.1\r\nHost: a\r\n\r\n");
  const std::string begun = other.receive_all();
  EXPECT_NE(begun.find("begun"), std::string::npos);
  EXPECT_EQ(begun.find("0\r\n\r\n"), std::string::npos);  // broken off, not ended
  EXPECT_TRUE(front.forgot_all());
}

TEST(Forward, KeepsTheConnectionAfterAnswersWithoutABody) {
  struct Case {
    std::string_view method;
    std::string_view answer;
    int status;
    std::string_view length;
  };
  const std::vector<Case> cases = {
      {"HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", 200, "5"},
      {"GET", "HTTP/1.1 204 No Content\r\n\r\n", 204, ""},
      {"GET", "HTTP/1.1 304 Not Modified\r\nETag: \"x\"\r\n\r\n", 304, ""},
      {"GET", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", 200, "0"},
  };
  ScriptedServer backend([&](ScriptedPeer& peer, int) {
    for (const Case& c : cases) {
      peer.receive_until("\r\n\r\n");
      peer.send(c.answer);
    }
    peer.receive_all();
  });
  Front front(backend.origin());
  RawClient client(front.port());
  for (const Case& c : cases) {
    SCOPED_TRACE(c.answer);
    client.send(std::string(c.method) + " / HTTP/1.1\r\nHost: a\r\n\r\n");
    const Response answer = client.receive_response(c.method == "HEAD");
    EXPECT_EQ(answer.status, c.status);
    EXPECT_EQ(answer.headers.get("content-length"), c.length);
    EXPECT_EQ(front.answered.take(), c.status);
  }
  EXPECT_EQ(backend.accepted(), 1);
}

TEST(Forward, PassesRedirectsOnAndLetsTheHeadBeEdited) {
  TestServer backend(
      [](const ExchangePtr& exchange) {
        exchange->respond({302, {{"location", "/elsewhere"}, {"x-secret", "1"}}, {}, {}});
      },
      false);
  ForwardOptions options;
  options.edit = [](ResponseHead& head) { head.headers.remove("x-secret"); };
  Front front(origin_of(backend), options);
  RawClient client(front.port());
  client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  const Response answer = client.receive_response();
  EXPECT_EQ(answer.status, 302);
  EXPECT_EQ(answer.headers.get("location"), "/elsewhere");
  EXPECT_FALSE(answer.headers.has("x-secret"));
}

TEST(Forward, PutsAnotherAnswerInThePlaceOfAFailure) {
  TestServer backend(
      [](const ExchangePtr& exchange) {
        const std::string path = exchange->request().target;
        if (path == "/good") return exchange->respond({206, {}, Bytes::of_static("good"), {}});
        const size_t size = path == "/large" ? 1'000'000 : 3;
        exchange->respond({404, {}, Bytes(std::string(size, 'x')), {}});
      },
      false);
  ForwardOptions options;
  options.replace = [](const Response& answer) {
    return Response{418,
                    {},
                    Bytes(std::to_string(answer.status) + " " + std::to_string(answer.body.size())),
                    {}};
  };
  Front front(origin_of(backend), options);
  RawClient client(front.port());
  for (const auto& [path, status, body] :
       {std::tuple{"/good", 206, "good"}, std::tuple{"/small", 418, "404 3"},
        std::tuple{"/large", 418, "404 50000"}, std::tuple{"/small", 418, "404 3"}}) {
    client.send("GET " + std::string(path) + " HTTP/1.1\r\nHost: a\r\n\r\n");
    const Response answer = client.receive_response();
    EXPECT_EQ(answer.status, status);
    EXPECT_EQ(answer.body.view(), body);
    EXPECT_EQ(front.answered.take(), status);
  }
  EXPECT_TRUE(front.forgot_all());
}

}  // namespace forward_test
}  // namespace proa::http
