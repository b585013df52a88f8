#include "http/server/exchange.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <stdexcept>
#include <stop_token>

#include "base/threads/pool.h"
#include "testkit/http/http2_client.h"
#include "testkit/http/inbox.h"
#include "testkit/http/raw_client.h"
#include "testkit/http/test_server.h"

namespace proa::http {
namespace exchange_test {

using testkit::Inbox;
using testkit::RawClient;
using testkit::TestServer;

std::string get(std::string_view fields = "") {
  return "GET / HTTP/1.1\r\nHost: a\r\n" + std::string(fields) + "\r\n";
}

std::string unzip(std::string_view zipped) {
  z_stream stream{};
  inflateInit2(&stream, 15 + 16);
  std::string out(4 << 20, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(zipped.data()));
  stream.avail_in = static_cast<uInt>(zipped.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  inflateEnd(&stream);
  return out;
}

TEST(Exchange, CompressesLargeAnswersForThoseWhoAcceptIt) {
  ServerLimits limits;
  limits.gzip_bytes = 1000;
  const std::string large(100'000, 'z');
  TestServer server(
      [&](ExchangePtr exchange) {
        exchange->respond({200, {}, Bytes(large), {}});
      },
      false, limits);
  RawClient client(server.port());
  client.send(get("Accept-Encoding: deflate, gzip\r\n"));
  const auto zipped = client.receive_response();
  EXPECT_EQ(zipped.headers.get("content-encoding"), "gzip");
  EXPECT_LT(zipped.body.size(), 2000U);
  EXPECT_EQ(unzip(zipped.body.view()), large);
  client.send(get());
  const auto plain = client.receive_response();
  EXPECT_FALSE(plain.headers.has("content-encoding"));
  EXPECT_EQ(plain.body.view(), large);
  client.send(get("Accept-Encoding: gzip;q=0\r\n"));
  EXPECT_EQ(client.receive_response().body.view(), large);
}

TEST(Exchange, DatesItsAnswersUnlessTheHandlerDid) {
  TestServer server(
      [](ExchangePtr exchange) {
        const std::string& target = exchange->request().target;
        if (target == "/own") return exchange->respond({200, {{"date", "then"}}, {}, {}});
        if (target == "/whole") return exchange->respond({404, {}, {}, {}});
        exchange->start({200, {}});
        exchange->finish();
      },
      false);
  RawClient client(server.port());
  const auto date_of = [&](const std::string& request) {
    client.send(request);
    return std::string(client.receive_response().headers.get("date"));
  };
  EXPECT_EQ(date_of("GET /own HTTP/1.1\r\nHost: a\r\n\r\n"), "then");
  for (const std::string request : {"GET /whole HTTP/1.1\r\nHost: a\r\n\r\n",
                                    "GET /parts HTTP/1.1\r\nHost: a\r\n\r\n", "not HTTP\r\n\r\n"}) {
    const std::string date = date_of(request);
    EXPECT_EQ(date.size(), 29U) << request;
    EXPECT_TRUE(date.ends_with(" GMT")) << date;
  }
}

// Tells what it saw when it is released.
class Recorder final : public ResponseObserver {
 public:
  explicit Recorder(Inbox<std::string>& seen) : seen_(seen) {}
  ~Recorder() override { seen_.put(text_ + "end"); }

  void on_response(const Response& response) override {
    text_ += "response " + std::to_string(response.body.size()) + " ";
  }
  void on_head(ResponseHead& head) override {
    head.headers.add("x-seen", "yes");
    text_ += "head " + std::to_string(head.status) + " ";
  }
  void on_part(const Bytes& bytes) override { text_ += "part " + bytes.str() + " "; }
  void on_thrown(const Status&) override { text_ += "thrown "; }

 private:
  Inbox<std::string>& seen_;
  std::string text_;
};

TEST(Exchange, ObserverSeesTheResponseAndEndsWithIt) {
  ServerLimits limits;
  limits.gzip_bytes = 1000;
  Inbox<std::string> seen;
  TestServer server(
      [&](ExchangePtr exchange) {
        exchange->observe(std::make_shared<Recorder>(seen));
        const std::string& target = exchange->request().target;
        if (target == "/whole")
          return exchange->respond({404, {}, Bytes(std::string(5000, 'z')), {}});
        if (target == "/thrown") throw std::runtime_error("test");
        if (target == "/upgrade") {
          // The connection ends at once.
          return exchange->upgrade({{"upgrade", "test"}},
                                   [](const std::unique_ptr<Socket>&, const std::string&) {});
        }
        exchange->start({200, {}});
        exchange->write(Bytes(std::string("a")));
        exchange->write(Bytes(std::string("b")));
        exchange->finish();
      },
      false, limits);
  RawClient client(server.port());
  client.send("GET /whole HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\n\r\n");
  EXPECT_EQ(client.receive_response().headers.get("x-seen"), "yes");
  EXPECT_EQ(seen.take(), "response 5000 head 404 end");
  client.send("GET /parts HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(client.receive_response().headers.get("x-seen"), "yes");
  EXPECT_EQ(seen.take(), "head 200 part a part b end");
  client.send("GET /upgrade HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: test\r\n\r\n");
  EXPECT_EQ(seen.take(), "head 101 end");
  RawClient other(server.port());
  other.send("GET /thrown HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(seen.take(), "thrown end");
}

TEST(Exchange, LeavesSmallAndCodedAnswersAsTheyAre) {
  ServerLimits limits;
  limits.gzip_bytes = 1000;
  TestServer server(
      [&](ExchangePtr exchange) {
        if (exchange->request().headers.has("x-coded")) {
          return exchange->respond(
              {200, {{"content-encoding", "br"}}, Bytes(std::string(5000, 'z')), {}});
        }
        exchange->respond({200, {}, Bytes(std::string(999, 'z')), {}});
      },
      false, limits);
  RawClient client(server.port());
  client.send(get("Accept-Encoding: gzip\r\n"));
  EXPECT_EQ(client.receive_response().body.size(), 999U);
  client.send(get("Accept-Encoding: gzip\r\nX-Coded: 1\r\n"));
  EXPECT_EQ(client.receive_response().body.size(), 5000U);
}

TEST(Exchange, GivesTheBodyThatCameBeforeItWasAskedFor) {
  Inbox<ExchangePtr> inbox;
  TestServer server([&](ExchangePtr exchange) { inbox.put(exchange); }, false);
  RawClient client(server.port());
  client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbody");
  const auto exchange = inbox.take();
  ASSERT_TRUE(exchange);
  (*exchange)->loop().run_and_wait([] {});
  testkit::echo(*exchange);
  EXPECT_EQ(client.receive_response().body.view(), "body");
}

TEST(Exchange, IsUsedFromManyThreadsAtOnce) {
  constexpr int kParts = 200;
  WorkerPool pool;
  Inbox<bool> closed;
  TestServer server([&](ExchangePtr exchange) {
    exchange->on_closed([&] { closed.put(true); });
    ASSERT_TRUE(pool.submit([exchange] {
      exchange->start({200, {}});
      for (int i = 0; i < kParts; ++i) {
        exchange->write(Bytes::copy_of("0123456789"));
        static_cast<void>(exchange->unsent());
      }
      exchange->finish();
    }));
  });
  std::vector<std::thread> clients;
  for (int i = 0; i < 4; ++i) {
    clients.emplace_back([&, i] {
      if (i % 2 == 0) {
        RawClient client(server.port(), {.tls = true});
        for (int round = 0; round < 5; ++round) {
          client.send(get());
          EXPECT_EQ(client.receive_response().body.size(), kParts * 10U);
        }
      } else {
        testkit::Http2Client client(server.port());
        for (int round = 0; round < 5; ++round) {
          EXPECT_EQ(client.wait(client.ask("GET", "/")).body.size(), kParts * 10U);
        }
      }
    });
  }
  for (auto& client : clients) client.join();
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(closed.take());
}

TEST(Exchange, SendsNowhereWhenThePeerIsGone) {
  for (const bool http2 : {false, true}) {
    Inbox<ExchangePtr> inbox;
    Inbox<bool> closed;
    TestServer server([&](ExchangePtr exchange) {
      exchange->on_closed([&] { closed.put(true); });
      inbox.put(exchange);
    });
    if (http2) {
      testkit::Http2Client client(server.port());
      client.ask("POST", "/", false);
      ASSERT_FALSE(inbox.take() == std::nullopt);
      client.ask("POST", "/", false);
    } else {
      RawClient client(server.port(), {.tls = true});
      client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n");
    }
    const auto exchange = inbox.take();
    ASSERT_TRUE(exchange);
    EXPECT_TRUE(closed.take());
    (*exchange)->consume(5);
    (*exchange)->respond({200, {}, Bytes::of_static("late"), {}});
    (*exchange)->abort();
    (*exchange)->upgrade({}, [](std::unique_ptr<Socket>, const std::string&) { FAIL(); });
    Inbox<std::string> body;
    (*exchange)->read_body([&](Result<Bytes> result) { body.put(result.ok() ? "whole" : "cut"); });
    EXPECT_EQ(body.take(), "cut");
  }
}

TEST(Exchange, ConsumesNoMoreThanThereIs) {
  Inbox<ExchangePtr> inbox;
  TestServer server([&](ExchangePtr exchange) { inbox.put(exchange); });
  testkit::Http2Client client(server.port());
  const StreamId stream = client.ask("POST", "/", false);
  client.send(stream, "abc");
  const auto exchange = inbox.take();
  ASSERT_TRUE(exchange);
  (*exchange)->stream_body([](std::optional<Bytes>) {});
  (*exchange)->consume(1'000'000);
  (*exchange)->respond({200, {}, {}, {}});
  EXPECT_EQ(client.wait(stream).status, 200);
}

TEST(Exchange, AbortsInTheMiddleOfAnAnswer) {
  for (const bool http2 : {false, true}) {
    TestServer server([](ExchangePtr exchange) {
      exchange->start({200, {}});
      exchange->write(Bytes::of_static("part"));
      exchange->loop().post([exchange] { exchange->abort(); });
    });
    if (http2) {
      testkit::Http2Client client(server.port());
      const auto& answer = client.wait(client.ask("GET", "/"));
      EXPECT_FALSE(answer.ended);
      EXPECT_NE(answer.closed, 0U);
    } else {
      RawClient client(server.port(), {.tls = true});
      client.send(get());
      EXPECT_FALSE(client.receive_all().ends_with("0\r\n\r\n"));
    }
  }
}

TEST(Exchange, ShowsThePeer) {
  Inbox<Peer> peers;
  TestServer server([&](ExchangePtr exchange) {
    peers.put(exchange->peer());
    exchange->respond({200, {}, {}, {}});
  });
  for (const bool with_certificate : {true, false}) {
    RawClient client(
        server.port(),
        {.tls = true, .client = with_certificate ? &testkit::test_client_key() : nullptr});
    client.send(get());
    EXPECT_EQ(client.receive_response().status, 200);
    const auto peer = peers.take();
    ASSERT_TRUE(peer);
    EXPECT_EQ(peer->address, "127.0.0.1");
    EXPECT_TRUE(peer->secure);
    EXPECT_EQ(peer->certificates.chain_der.size(), with_certificate ? 1U : 0U);
  }
}

TEST(Exchange, StopsItsWorkWhenTheClientHasGone) {
  Inbox<ExchangePtr> inbox;
  Inbox<bool> stopped;
  std::vector<std::unique_ptr<std::stop_callback<std::function<void()>>>> callbacks;
  TestServer server(
      [&](ExchangePtr exchange) {
        callbacks.push_back(std::make_unique<std::stop_callback<std::function<void()>>>(
            exchange->stop_token(), [&] { stopped.put(true); }));
        inbox.put(exchange);
      },
      true, {}, 1);
  const auto expect_stopped = [&](const ExchangePtr& exchange) {
    EXPECT_TRUE(stopped.take());
    EXPECT_TRUE(exchange->is_closed());
    exchange->respond({200, {}, Bytes::of_static("nobody reads it"), {}});
  };
  {
    testkit::Http2Client client(server.port());
    const StreamId stream = client.ask("GET", "/reset");
    const auto reset = inbox.take();
    EXPECT_FALSE((*reset)->is_closed());
    client.reset(stream);
    expect_stopped(*reset);
    const StreamId answered = client.ask("GET", "/answered");
    const auto exchange = inbox.take();
    (*exchange)->respond({200, {}, Bytes::of_static("hello"), {}});
    EXPECT_EQ(client.wait(answered).status, 200);
    EXPECT_TRUE(stopped.take());
    client.ask("GET", "/cut-off");
  }
  expect_stopped(*inbox.take());
  auto client = std::make_unique<RawClient>(server.port(), RawClient::Options{.tls = true});
  client->send(get());
  const auto exchange = inbox.take();
  client.reset();
  expect_stopped(*exchange);
  // Asked for later, it is stopped at once.
  server.loops().at(0).run_and_wait(
      [&] { EXPECT_TRUE((*exchange)->stop_token().stop_requested()); });
}

TEST(Exchange, KeepsNoHeadersThatWereReleased) {
  constexpr size_t kSize = 20'000;
  Inbox<size_t> taken;
  Inbox<ExchangePtr> open;
  TestServer server(
      [&](ExchangePtr exchange) {
        taken.put(exchange->head_bytes());
        exchange->release_headers();
        taken.put(exchange->head_bytes());
        EXPECT_TRUE(exchange->request().headers.empty());
        EXPECT_EQ(exchange->request().target, "/");
        exchange->start({200, {}});
        open.put(std::move(exchange));
      },
      false);
  RawClient client(server.port());
  client.send(get("X: " + std::string(kSize, 'x') + "\r\n"));
  EXPECT_GT(taken.take().value(), kSize);
  const size_t left = taken.take().value();
  EXPECT_LT(left, kSize / 2);
  EXPECT_TRUE(open.take());
  EXPECT_EQ(server.server().head_bytes(), left);
}

}  // namespace exchange_test
}  // namespace proa::http
