#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <stop_token>

#include "testkit/http/http2_client.h"
#include "testkit/http/inbox.h"
#include "testkit/http/test_server.h"

namespace proa::http {
namespace http2_abuse_test {

namespace frames = testkit::frames;
using testkit::Http2Client;
using testkit::Inbox;
using testkit::RawClient;
using testkit::TestServer;

std::string start() {
  return std::string(frames::kPreface) + frames::frame(frames::kSettings, 0, 0);
}

void hello(ExchangePtr exchange) { exchange->respond({200, {}, Bytes::of_static("hello"), {}}); }

ServerLimits impatient() {
  ServerLimits limits;
  limits.write_timeout = std::chrono::milliseconds(100);
  return limits;
}

std::string get(uint32_t stream) {
  return frames::frame(frames::kHeaders, frames::kEndHeaders | frames::kEndStream, stream,
                       frames::get_fields());
}

// Sends the same again and again, without reading, until the server has closed. True when it did.
bool is_cut_off(RawClient& client, const std::string& flood, size_t most) {
  for (size_t sent = 0; sent < most; sent += flood.size()) {
    if (!client.send(flood)) return true;
  }
  return false;
}

void expect_still_serving(TestServer& server) {
  RawClient client(server.port());
  client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(client.receive_response().status, 200);
}

// The error code of a GOAWAY among the frames.
std::optional<uint32_t> goaway_code(std::string_view received) {
  const auto byte = [&](size_t at) { return static_cast<unsigned char>(received[at]); };
  constexpr size_t kHead = 9;
  while (received.size() >= kHead + 8) {
    const size_t size = (byte(0) << 16) + (byte(1) << 8) + byte(2);
    if (byte(3) == frames::kGoaway) {
      return (byte(kHead + 4) << 24) + (byte(kHead + 5) << 16) + (byte(kHead + 6) << 8) +
             byte(kHead + 7);
    }
    received.remove_prefix(std::min(received.size(), kHead + size));
  }
  return std::nullopt;
}

TEST(Http2Abuse, RapidResetsEndTheConnection) {
  ServerLimits limits;
  limits.http2.reset_burst = 100;
  limits.http2.resets_per_second = 10;
  TestServer server(hello, false, limits);
  RawClient client(server.port());
  client.send(start());
  std::string flood;
  for (uint32_t id = 1; id < 2000; id += 2) {
    flood += get(id) + frames::frame(frames::kReset, 0, id, frames::number(8));
  }
  client.send(flood);
  EXPECT_EQ(goaway_code(client.receive_all()), 11U);  // ENHANCE_YOUR_CALM
  expect_still_serving(server);
}

TEST(Http2Abuse, FramesWithoutProgressEndTheConnection) {
  TestServer server(hello, false);
  for (const std::string& frame :
       {frames::frame(frames::kPing, 0, 0, "12345678"), frames::frame(frames::kSettings, 0, 0),
        frames::frame(frames::kWindow, 0, 0, frames::number(1)),
        frames::frame(0xee, 0, 0, "unknown")}) {
    SCOPED_TRACE(static_cast<int>(frame[3]));
    RawClient client(server.port());
    std::string flood = start();
    for (int i = 0; i < 5'000; ++i) flood += frame;
    client.send(flood);
    EXPECT_EQ(goaway_code(client.receive_all()), 11U);  // ENHANCE_YOUR_CALM
  }
  expect_still_serving(server);
}

// Requests whose work goes on while the client makes the server reset their streams
// (CVE-2025-8671).
TEST(Http2Abuse, ProvokedResetsEndTheConnection) {
  constexpr uint32_t kProtocolError = 1;
  constexpr uint32_t kStreamClosed = 5;
  constexpr uint32_t kEnhanceYourCalm = 11;
  const auto head = [](uint32_t id, uint8_t flags, const std::string& more = "") {
    return frames::frame(frames::kHeaders, flags, id, frames::get_fields() + more);
  };
  const auto open = [&](uint32_t id) { return head(id, frames::kEndHeaders); };
  const auto whole = [&](uint32_t id) { return get(id); };
  struct Trick {
    const char* name;
    std::function<std::string(uint32_t id)> frames;
    std::set<uint32_t> codes = {kEnhanceYourCalm};
  };
  const std::vector<Trick> tricks = {
      {"window overflow",
       [&](uint32_t id) {
         return whole(id) + frames::frame(frames::kWindow, 0, id, frames::number(0x7fffffff));
       }},
      {"window update of zero",
       [&](uint32_t id) {
         return whole(id) + frames::frame(frames::kWindow, 0, id, frames::number(0));
       },
       {kEnhanceYourCalm, kProtocolError}},
      {"body longer than its length",
       [&](uint32_t id) {
         return head(id, frames::kEndHeaders, frames::field("content-length", "1")) +
                frames::frame(frames::kData, 0, id, "longer");
       }},
      {"body shorter than its length",
       [&](uint32_t id) {
         return head(id, frames::kEndHeaders, frames::field("content-length", "9")) +
                frames::frame(frames::kData, frames::kEndStream, id, "short");
       }},
      {"trailers that do not end",
       [&](uint32_t id) {
         return open(id) +
                frames::frame(frames::kHeaders, frames::kEndHeaders, id, frames::field("x", "y"));
       },
       {kEnhanceYourCalm, kProtocolError}},
      {"pseudo header in trailers",
       [&](uint32_t id) {
         return open(id) + frames::frame(frames::kHeaders, frames::kEndHeaders | frames::kEndStream,
                                         id, frames::field(":path", "/"));
       }},
      {"data after the end",
       [&](uint32_t id) { return whole(id) + frames::frame(frames::kData, 0, id, "x"); },
       {kEnhanceYourCalm, kStreamClosed, kProtocolError}},
      {"headers after the end",
       [&](uint32_t id) { return whole(id) + whole(id); },
       {kEnhanceYourCalm, kStreamClosed, kProtocolError}},
      {"dependency on itself",
       [&](uint32_t id) {
         return whole(id) +
                frames::frame(frames::kPriority, 0, id, frames::number(id) + std::string(1, 'w'));
       },
       {kEnhanceYourCalm, kProtocolError}},
      {"too many fields",
       [&](uint32_t id) {
         std::string fields;
         for (int i = 0; i < 150; ++i) fields += frames::field("x", "y");
         return head(id, frames::kEndHeaders | frames::kEndStream, fields);
       }},
  };
  for (const Trick& trick : tricks) {
    SCOPED_TRACE(trick.name);
    ServerLimits limits;
    limits.http2.reset_burst = 100;
    limits.http2.resets_per_second = 1;
    std::atomic<int> handled{0};
    std::atomic<int> stopped{0};
    std::vector<std::unique_ptr<std::stop_callback<std::function<void()>>>> callbacks;
    TestServer server(
        [&](ExchangePtr exchange) {
          ++handled;
          callbacks.push_back(std::make_unique<std::stop_callback<std::function<void()>>>(
              exchange->stop_token(), [&] { ++stopped; }));
        },
        false, limits, 1);
    RawClient client(server.port());
    client.send(start());
    std::string flood;
    for (uint32_t id = 1; id < 4000; id += 2) flood += trick.frames(id);
    client.send(flood);
    const std::optional<uint32_t> code = goaway_code(client.receive_all());
    ASSERT_TRUE(code) << "no GOAWAY";
    EXPECT_TRUE(trick.codes.contains(*code)) << *code;
    EXPECT_TRUE(server.wait_for_connections(0));
    EXPECT_LE(handled, 201);
    EXPECT_EQ(stopped, handled) << "work goes on";
  }
}

TEST(Http2Abuse, EndlessContinuationsEndTheConnection) {
  TestServer server(hello, false);
  for (const size_t size : {0, 1, 16'000}) {
    SCOPED_TRACE(size);
    RawClient client(server.port());
    client.send(start() +
                frames::frame(frames::kHeaders, frames::kEndStream, 1, frames::get_fields()));
    std::string payload;
    while (payload.size() + 20 < size) payload += frames::field("x-name", "value");
    EXPECT_TRUE(is_cut_off(client, frames::frame(frames::kContinuation, 0, 1, payload), 64 << 20));
  }
  expect_still_serving(server);
}

TEST(Http2Abuse, PingsThatNobodyReadsTheAnswersOfEndTheConnection) {
  TestServer server(hello, false, impatient());
  RawClient client(server.port(), {.receive_buffer = 4096});
  client.send(start());
  std::string flood;
  for (int i = 0; i < 1000; ++i) flood += frames::frame(frames::kPing, 0, 0, "12345678");
  EXPECT_TRUE(is_cut_off(client, flood, 256 << 20));
  expect_still_serving(server);
}

TEST(Http2Abuse, SettingsThatNobodyReadsTheAnswersOfEndTheConnection) {
  TestServer server(hello, false, impatient());
  RawClient client(server.port(), {.receive_buffer = 4096});
  client.send(start());
  std::string flood;
  for (int i = 0; i < 1000; ++i) flood += frames::frame(frames::kSettings, 0, 0);
  EXPECT_TRUE(is_cut_off(client, flood, 256 << 20));
  expect_still_serving(server);
}

TEST(Http2Abuse, TooManySettingsAtOnceEndTheConnection) {
  TestServer server(hello, false);
  RawClient client(server.port());
  std::string entries;
  for (int i = 0; i < 1000; ++i) entries += std::string("\x00\x04\x00\x00\x10\x00", 6);
  client.send(std::string(frames::kPreface) + frames::frame(frames::kSettings, 0, 0, entries));
  client.receive_all();
}

TEST(Http2Abuse, GarbageBehindThePrefaceEndsTheConnection) {
  TestServer server(hello, false);
  const std::vector<std::string> garbage = {
      std::string(100, '\xff'),
      std::string("GET / HTTP/1.1\r\nHost: a\r\n\r\n") + std::string(100, 'x'),
      frames::frame(frames::kData, 0, 1, "data of no stream"),
      frames::frame(frames::kSettings, 0, 0) +
          frames::frame(frames::kHeaders, frames::kEndHeaders, 2, frames::get_fields()),
      frames::frame(frames::kSettings, 0, 0) +
          frames::frame(frames::kHeaders, frames::kEndHeaders, 1, "\xff\xff\xff\xff\xff\xff"),
      frames::frame(frames::kSettings, 0, 0) +
          frames::frame(frames::kWindow, 0, 0, frames::number(0)),
      frames::frame(frames::kSettings, 0, 0) + frames::frame(frames::kPing, 0, 0, "short"),
      frames::frame(frames::kSettings, 0, 0) +
          std::string("\xff\xff\xff\x00\x00\x00\x00\x00\x01", 9),
  };
  for (const auto& bytes : garbage) {
    SCOPED_TRACE(testing::PrintToString(bytes));
    RawClient client(server.port());
    client.send(std::string(frames::kPreface) + bytes);
    client.end();
    client.receive_all();
  }
  expect_still_serving(server);
}

TEST(Http2Abuse, SmuggledFieldsNeverReachTheHandler) {
  Inbox<std::string> handled;
  TestServer server(
      [&](ExchangePtr exchange) {
        handled.put(exchange->request().target);
        hello(exchange);
      },
      false);
  const std::vector<std::string> bad = {
      frames::field("transfer-encoding", "chunked"),
      frames::field("connection", "close"),
      frames::field("X-Upper", "a"),
      frames::field("x", "a\r\ny: b"),
      frames::field("x y", "a"),
      frames::field(":path", "/again"),
      frames::field(":unknown", "a"),
      frames::field("te", "gzip"),
      frames::field("", "a"),
      frames::field("content-length", "-1"),
      frames::field("content-length", "5"),  // but no body comes
  };
  RawClient client(server.port());
  client.send(start());
  uint32_t id = 1;
  for (const auto& field : bad) {
    client.send(frames::frame(frames::kHeaders, frames::kEndHeaders | frames::kEndStream, id,
                              frames::get_fields() + field));
    id += 2;
  }
  client.send(get(id));
  EXPECT_EQ(handled.take(), "/");
  EXPECT_TRUE(handled.empty());
}

TEST(Http2Abuse, AReaderWithAClosedWindowIsCutOff) {
  Inbox<bool> closed;
  TestServer server(
      [&](ExchangePtr exchange) {
        exchange->on_closed([&] { closed.put(true); });
        hello(exchange);
      },
      false, impatient());
  RawClient client(server.port());
  // INITIAL_WINDOW_SIZE 0
  client.send(std::string(frames::kPreface) +
              frames::frame(frames::kSettings, 0, 0, std::string("\x00\x04\x00\x00\x00\x00", 6)) +
              get(1));
  client.receive_all();
  EXPECT_TRUE(closed.take());
}

TEST(Http2Abuse, AReaderThatReadsNothingIsCutOff) {
  // No body: what waits is nothing but heads.
  TestServer server(
      [](ExchangePtr exchange) {
        exchange->respond({200, {{"x", std::string(16'000, 'x')}}, {}, {}});
      },
      false, impatient(), 1);
  RawClient client(server.port(), {.receive_buffer = 4096});
  client.send(start());
  std::string batch;
  for (uint32_t id = 1; id < 40'000; id += 2) {
    batch += get(id);
    if (id % 20 != 1) continue;
    if (!client.send(batch)) break;
    batch.clear();
    server.loops().at(0).run_and_wait([] {});
  }
  EXPECT_TRUE(server.wait_for_connections(0));
}

TEST(Http2Abuse, PausedBodiesOfManyStreamsStayWithinTheConnectionsWindow) {
  ServerLimits limits;
  limits.http2.stream_window = 256 * 1024;
  limits.http2.connection_window = 512 * 1024;
  std::atomic<size_t> received{0};
  Inbox<ExchangePtr> inbox;
  TestServer server(
      [&](ExchangePtr exchange) {
        exchange->stream_body(
            [&](std::optional<Bytes> part) { received += part ? part->size() : 0; });
        inbox.put(exchange);
      },
      true, limits);
  Http2Client client(server.port());
  for (int i = 0; i < 20; ++i) {
    const StreamId stream = client.ask("POST", "/", false);
    client.send(stream, std::string(256 * 1024, 'x'));
  }
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(inbox.take());
  for (int i = 0; i < 3; ++i) {
    client.ping();
    ASSERT_TRUE(client.read());
  }
  EXPECT_LE(received, 512U * 1024);
}

// Of 10 KB each, with what a request takes besides.
Headers large_head() { return {{"x", std::string(10'000, 'x')}}; }

std::vector<StreamId> ask_often(Http2Client& client, int count) {
  std::vector<StreamId> streams;
  for (int i = 0; i < count; ++i) streams.push_back(client.ask("GET", "/", true, large_head()));
  return streams;
}

// A dropped exchange ends in a task of its loop.
size_t head_bytes_of(TestServer& server) {
  for (size_t i = 0; i < server.loops().size(); ++i) server.loops().at(i).run_and_wait([] {});
  return server.server().head_bytes();
}

TEST(Http2Abuse, HeadsBeyondThePartOfAConnectionAreRefused) {
  constexpr uint32_t kRefusedStream = 7;
  ServerLimits limits;
  limits.heads.per_connection = 64 * 1024;
  Inbox<ExchangePtr> open;
  TestServer server([&](ExchangePtr exchange) { open.put(std::move(exchange)); }, false, limits);
  Http2Client client(server.port(), false);
  for (int round = 0; round < 2; ++round) {
    const std::vector<StreamId> streams = ask_often(client, 10);
    for (size_t i = 4; i < 10; ++i) {
      EXPECT_EQ(client.wait(streams[i]).closed, kRefusedStream);
    }
    for (size_t i = 0; i < 4; ++i) {
      ExchangePtr exchange = open.take().value();
      exchange->respond({200, {}, Bytes::of_static("hello"), {}});
      exchange.reset();
      EXPECT_EQ(client.wait(streams[i]).status, 200);
    }
    EXPECT_TRUE(open.empty());
    EXPECT_EQ(head_bytes_of(server), 0U);
  }
}

TEST(Http2Abuse, RequestsWhoseResponsesNobodyReadsAreDropped) {
  constexpr uint32_t kEnhanceYourCalm = 11;
  ServerLimits limits;
  limits.heads.unread = 64 * 1024;
  TestServer server(hello, false, limits);
  {
    Http2Limits closed = Http2Client::generous();
    closed.stream_window = 0;
    Http2Client client(server.port(), false, closed);
    const std::vector<StreamId> streams = ask_often(client, 10);
    for (size_t i = 0; i < 6; ++i) {
      EXPECT_EQ(client.wait(streams[i]).closed, kEnhanceYourCalm);
    }
    for (size_t i = 6; i < 10; ++i) EXPECT_FALSE(client.answer(streams[i]).closed);
    EXPECT_LE(head_bytes_of(server), limits.heads.unread);
    expect_still_serving(server);
  }
  EXPECT_TRUE(server.wait_for_connections(0));
  EXPECT_EQ(head_bytes_of(server), 0U);
}

}  // namespace http2_abuse_test
}  // namespace proa::http
