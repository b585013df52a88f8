#include <gtest/gtest.h>

#include <vector>

#include "http/wire/http2_session.h"
#include "testkit/http/http2_client.h"

namespace proa::http {
namespace http2_flood_test {

namespace frames = testkit::frames;
using Role = Http2Session::Role;

constexpr uint8_t kUnknown = 0xee;

// A session whose peer sends arbitrary frames; stream 1 is open.
struct Side final : Http2Session::Events {
  explicit Side(Role role) : session(role, {}, *this) {
    std::string first = frames::frame(frames::kSettings, 0, 0);
    if (role == Role::kServer) {
      first = std::string(frames::kPreface) + first + request(1);
    } else {
      for (int i = 0; i < 2; ++i) ask();
      static_cast<void>(output());
      first += response(1, "200");
    }
    EXPECT_TRUE(session.receive(first).ok());
  }

  static std::string request(uint32_t id, uint8_t flags = 0) {
    return frames::frame(frames::kHeaders, frames::kEndHeaders | flags, id, frames::get_fields());
  }
  static std::string response(uint32_t id, const std::string& status, uint8_t flags = 0) {
    return frames::frame(frames::kHeaders, frames::kEndHeaders | flags, id,
                         frames::field(":status", status));
  }
  void ask(bool end = true) {
    RequestHead head;
    head.method = "GET";
    head.target = "/";
    head.scheme = "https";
    head.authority = "host";
    EXPECT_TRUE(session.request(head, end).ok());
  }
  std::string output() {
    std::string out;
    while (session.wants_output()) {
      const size_t before = out.size();
      session.take_output(out, 16'384);
      if (out.size() == before) break;
    }
    return out;
  }
  // Receives the bytes that often, and sends what it has to; false once it refuses them.
  bool takes(const std::string& bytes, int times) {
    for (int i = 0; i < times; ++i) {
      if (!session.receive(bytes).ok()) return false;
      static_cast<void>(output());
    }
    return true;
  }

  void on_request(StreamId, RequestHead, bool) override { ++requests; }
  void on_body(StreamId id, std::string_view bytes) override {
    body += bytes.size();
    session.consume(id, bytes.size());
  }
  void on_body_end(StreamId, Headers) override {}
  void on_stream_closed(StreamId, uint32_t) override {}

  int requests = 0;
  size_t body = 0;
  Http2Session session;
};

// Says GOAWAY with ENHANCE_YOUR_CALM, and nothing follows.
void expect_calm_down(Side& side) {
  const std::string out = side.output();
  ASSERT_GE(out.size(), 8U);
  EXPECT_EQ(out.substr(out.size() - 4), std::string("\0\0\0\x0b", 4));
  EXPECT_TRUE(side.session.finished());
}

struct Flood {
  const char* name;
  std::string frames;
};

std::vector<Flood> floods_for_both() {
  return {
      {"pings", frames::frame(frames::kPing, 0, 0, "12345678")},
      {"answers to no pings", frames::frame(frames::kPing, frames::kAck, 0, "12345678")},
      {"settings", frames::frame(frames::kSettings, 0, 0)},
      {"priorities",
       frames::frame(frames::kPriority, 0, 1, frames::number(0) + std::string(1, 'w'))},
      {"priorities of no stream",
       frames::frame(frames::kPriority, 0, 99, frames::number(0) + std::string(1, 'w'))},
      {"window updates", frames::frame(frames::kWindow, 0, 0, frames::number(1))},
      {"window updates of a stream", frames::frame(frames::kWindow, 0, 1, frames::number(1))},
      {"empty data", frames::frame(frames::kData, 0, 1)},
      {"data of nothing but padding", frames::frame(frames::kData, 8, 1, std::string(1, '\0'))},
      {"unknown frames", frames::frame(kUnknown, 0, 0, "unknown")},
      {"empty unknown frames", frames::frame(kUnknown, 0, 1)},
  };
}

TEST(Http2Flood, EndsAConnectionWhoseFramesMakeNoProgress) {
  for (const Role role : {Role::kServer, Role::kClient}) {
    for (const Flood& flood : floods_for_both()) {
      SCOPED_TRACE(std::string(role == Role::kServer ? "server: " : "client: ") + flood.name);
      Side side(role);
      EXPECT_FALSE(side.takes(flood.frames, 10'000));
      expect_calm_down(side);
    }
  }
}

TEST(Http2Flood, EndsOnesThatOnlyAServerCanSend) {
  const std::vector<Flood> floods = {
      {"informational heads", Side::response(3, "103")},
      {"data of a stream that is over", frames::frame(frames::kData, 0, 1, "x")},
      {"resets of a stream that is over", frames::frame(frames::kReset, 0, 1, frames::number(8))},
  };
  for (const Flood& flood : floods) {
    SCOPED_TRACE(flood.name);
    Side client(Role::kClient);
    ASSERT_TRUE(client.takes(frames::frame(frames::kData, frames::kEndStream, 1, "end"), 1));
    EXPECT_FALSE(client.takes(flood.frames, 10'000));
    expect_calm_down(client);
  }
}

TEST(Http2Flood, EndsAFloodInOnePiece) {
  for (const std::string& frame :
       {frames::frame(frames::kPing, 0, 0, "12345678"), frames::frame(kUnknown, 0, 0)}) {
    std::string flood;
    for (int i = 0; i < 10'000; ++i) flood += frame;
    Side server(Role::kServer);
    EXPECT_FALSE(server.session.receive(flood).ok());
    expect_calm_down(server);
  }
}

TEST(Http2Flood, AllowsBodiesInTheSmallestParts) {
  for (const Role role : {Role::kServer, Role::kClient}) {
    Side side(role);
    EXPECT_TRUE(side.takes(frames::frame(frames::kData, 0, 1, "x"), 20'000));
    EXPECT_EQ(side.body, 20'000U);
  }
}

TEST(Http2Flood, AllowsAPingWithEachPartOfABody) {
  for (const Role role : {Role::kServer, Role::kClient}) {
    Side side(role);
    EXPECT_TRUE(side.takes(frames::frame(frames::kData, 0, 1, "x") +
                               frames::frame(frames::kPing, 0, 0, "12345678") +
                               frames::frame(frames::kWindow, 0, 0, frames::number(1)),
                           20'000));
  }
}

TEST(Http2Flood, AllowsManySmallRequests) {
  Side server(Role::kServer);
  for (uint32_t id = 3; id < 20'000; id += 2) {
    ASSERT_TRUE(server.takes(Side::request(id, frames::kEndStream), 1));
    server.session.respond(static_cast<StreamId>(id), {200, {}}, true);
  }
  EXPECT_EQ(server.requests, 10'000);
}

// A reader of a watch that falls behind, and then opens its windows once for each event.
TEST(Http2Flood, AllowsWindowUpdatesForAllDataAtOnce) {
  constexpr int kEvents = 6'000;
  Side server(Role::kServer);
  server.session.respond(1, {200, {}}, false);
  for (int i = 0; i < kEvents; ++i) {
    server.session.send(1, Bytes::of_static("an event"));
    static_cast<void>(server.output());
  }
  ASSERT_EQ(server.session.unsent(1), 0U);
  EXPECT_TRUE(server.takes(frames::frame(frames::kWindow, 0, 0, frames::number(8)) +
                               frames::frame(frames::kWindow, 0, 1, frames::number(8)),
                           kEvents));
}

// As Go's readers, which open both windows after every 4 KiB.
std::string updates_for_short_reads(uint32_t id, size_t bytes) {
  constexpr uint32_t kRead = 4'096;
  std::string updates;
  for (size_t read = 0; read < bytes; read += kRead) {
    updates += frames::frame(frames::kWindow, 0, 0, frames::number(kRead));
    updates += frames::frame(frames::kWindow, 0, id, frames::number(kRead));
  }
  return updates;
}

TEST(Http2Flood, AllowsWindowUpdatesForShortReadsOfLongData) {
  constexpr size_t kFrame = 16'384;
  for (const Role role : {Role::kServer, Role::kClient}) {
    SCOPED_TRACE(role == Role::kServer ? "server" : "client");
    Side side(role);
    const uint32_t id = role == Role::kServer ? 1 : 5;
    if (role == Role::kServer) {
      side.session.respond(1, {200, {}}, false);
    } else {
      side.ask(/*end=*/false);
    }
    const std::string updates = updates_for_short_reads(id, kFrame);
    for (int i = 0; i < 3'000; ++i) {
      side.session.send(static_cast<StreamId>(id), Bytes(std::string(kFrame, 'x')));
      ASSERT_GE(side.output().size(), kFrame);
      ASSERT_TRUE(side.takes(updates, 1));
    }
  }
}

}  // namespace http2_flood_test
}  // namespace proa::http
