#include "http/wire/http2_session.h"

#include <gtest/gtest.h>

#include <map>

#include "testkit/http/http2_client.h"

namespace proa::http {
namespace http2_session_test {

namespace frames = testkit::frames;
using Role = Http2Session::Role;

// One side, and a record of its events.
struct Side final : Http2Session::Events {
  explicit Side(Role role, const Http2Limits& limits = {}) : session(role, limits, *this) {}

  void on_request(StreamId id, RequestHead head, bool end) override {
    text += head.method + " " + head.target + (end ? " end;" : ";");
    requests[id] = std::move(head);
  }
  void on_response(StreamId, ResponseHead head, bool end) override {
    text += std::to_string(head.status) + (end ? " end;" : ";");
  }
  void on_body(StreamId id, std::string_view bytes) override {
    body += bytes;
    if (consumes) session.consume(id, bytes.size());
  }
  void on_body_end(StreamId, Headers trailers) override {
    text += "[" + std::to_string(body.size()) + "]";
    for (const auto& [name, value] : trailers) text += name + "=" + value;
    text += ";";
    body.clear();
  }
  void on_sent(StreamId, size_t bytes) override { sent += bytes; }
  void on_stream_closed(StreamId, uint32_t error) override {
    text += "closed " + std::to_string(error) + ";";
  }
  void on_goaway(StreamId last) override { text += "goaway " + std::to_string(last) + ";"; }

  std::string text;
  std::string body;
  size_t sent = 0;
  bool consumes = true;
  std::map<StreamId, RequestHead> requests;
  Http2Session session;
};

std::string output(Side& side) {
  std::string out;
  while (side.session.wants_output()) {
    const size_t before = out.size();
    side.session.take_output(out, 16'384);
    if (out.size() == before) break;
  }
  return out;
}

struct Pair {
  explicit Pair(const Http2Limits& server_limits = {}, const Http2Limits& client_limits = {})
      : server(Role::kServer, server_limits), client(Role::kClient, client_limits) {
    exchange();
  }
  // Until neither has anything to say.
  void exchange() {
    while (true) {
      const std::string up = output(client);
      const std::string down = output(server);
      if (up.empty() && down.empty()) return;
      if (!up.empty()) {
        ASSERT_TRUE(server.session.receive(up).ok());
      }
      if (!down.empty()) {
        ASSERT_TRUE(client.session.receive(down).ok());
      }
    }
  }
  StreamId ask(const std::string& method, bool end, Headers headers = {}) {
    RequestHead head;
    head.method = method;
    head.target = "/a?b";
    head.scheme = "https";
    head.authority = "host:1";
    head.headers = std::move(headers);
    auto id = client.session.request(head, end);
    EXPECT_TRUE(id.ok());
    exchange();
    return *id;
  }

  Side server;
  Side client;
};

TEST(Http2Session, CarriesARequestAndItsAnswer) {
  Pair pair;
  const StreamId id = pair.ask("GET", true, {{"x-a", "b"}, {"connection", "close"}});
  EXPECT_EQ(pair.server.text, "GET /a?b end;[0];");
  const auto& request = pair.server.requests[id];
  EXPECT_EQ(request.authority, "host:1");
  EXPECT_EQ(request.scheme, "https");
  EXPECT_EQ(request.headers.get("x-a"), "b");
  EXPECT_FALSE(request.headers.has("connection"));
  pair.server.session.respond(id, {200, {}}, false);
  pair.server.session.send(id, Bytes::of_static("hello"));
  pair.server.session.end(id, {{"t", "r"}});
  pair.exchange();
  EXPECT_EQ(pair.client.text, "200;[5]t=r;closed 0;");
  EXPECT_EQ(pair.client.session.open_streams(), 0U);
  EXPECT_EQ(pair.server.session.open_streams(), 0U);
}

TEST(Http2Session, SendsNoMoreThanTheWindowUntilItIsRead) {
  Http2Limits limits;
  limits.stream_window = 100'000;
  Pair pair(limits);
  pair.server.consumes = false;
  const StreamId id = pair.ask("POST", false);
  pair.client.session.send(id, Bytes(std::string(250'000, 'x')));
  pair.client.session.end(id);
  pair.exchange();
  EXPECT_EQ(pair.server.body.size(), 100'000U);
  EXPECT_EQ(pair.client.session.unsent(id), 150'000U);
  EXPECT_EQ(pair.client.sent, 100'000U);
  pair.server.session.consume(id, 100'000);
  pair.exchange();
  EXPECT_EQ(pair.server.body.size(), 200'000U);
  pair.server.session.consume(id, 100'000);
  pair.exchange();
  EXPECT_EQ(pair.server.text, "POST /a?b;[250000];");
}

TEST(Http2Session, GivesBackTheWindowOfStreamsThatAreReset) {
  Http2Limits limits;
  limits.stream_window = limits.connection_window = 100'000;
  Pair pair(limits);
  pair.server.consumes = false;
  for (int i = 0; i < 5; ++i) {
    const StreamId id = pair.ask("POST", false);
    pair.server.body.clear();
    pair.client.session.send(id, Bytes(std::string(100'000, 'x')));
    pair.exchange();
    EXPECT_EQ(pair.server.body.size(), 100'000U);
    pair.client.session.reset(id, 8);
    pair.exchange();
  }
}

TEST(Http2Session, TellsTheClientToStopSendingWhenTheAnswerIsOver) {
  Pair pair;
  const StreamId id = pair.ask("POST", false);
  pair.server.session.respond(id, {403, {}}, true);
  pair.exchange();
  EXPECT_EQ(pair.client.text, "403 end;[0];closed 0;");
  EXPECT_EQ(pair.server.session.open_streams(), 0U);
}

TEST(Http2Session, OpensNoStreamsPastAGoaway) {
  Pair pair;
  const StreamId id = pair.ask("GET", true);
  pair.server.session.goaway();
  pair.exchange();
  EXPECT_EQ(pair.client.text, "goaway 1;");
  RequestHead head;
  head.method = "GET";
  head.target = "/";
  const auto refused = pair.client.session.request(head, true);
  if (refused.ok()) {
    pair.exchange();
    EXPECT_NE(pair.client.text.find("closed"), std::string::npos);
  }
  pair.server.session.respond(id, {200, {}}, true);
  pair.exchange();
  EXPECT_NE(pair.client.text.find("200 end;"), std::string::npos);
}

TEST(Http2Session, KnowsHowManyStreamsThePeerAllows) {
  Http2Limits limits;
  limits.concurrent_streams = 7;
  Pair pair(limits);
  EXPECT_EQ(pair.client.session.peer_max_streams(), 7U);
}

TEST(Http2Session, PassesOverInformationalAnswers) {
  Side client(Role::kClient);
  RequestHead head;
  head.method = "GET";
  head.target = "/";
  ASSERT_TRUE(client.session.request(head, true).ok());
  output(client);
  ASSERT_TRUE(client.session
                  .receive(frames::frame(frames::kSettings, 0, 0) +
                           frames::frame(frames::kHeaders, frames::kEndHeaders, 1,
                                         frames::field(":status", "103")) +
                           frames::frame(frames::kHeaders, frames::kEndHeaders | frames::kEndStream,
                                         1, frames::field(":status", "200")))
                  .ok());
  EXPECT_EQ(client.text, "200 end;[0];closed 0;");
}

TEST(Http2Session, IgnoresWhatIsSaidToStreamsThatAreOver) {
  Pair pair;
  const StreamId id = pair.ask("GET", true);
  pair.server.session.respond(id, {200, {}}, true);
  pair.exchange();
  pair.server.session.send(id, Bytes::of_static("late"));
  pair.server.session.end(id);
  pair.server.session.consume(id, 100);
  pair.server.session.reset(id, 8);
  pair.server.session.respond(id, {200, {}}, true);
  EXPECT_EQ(pair.server.session.unsent(id), 0U);
  pair.exchange();
  EXPECT_EQ(pair.client.text, "200 end;[0];closed 0;");
}

TEST(Http2Session, RefusesAForeignPreface) {
  Side server(Role::kServer);
  EXPECT_FALSE(server.session.receive("GET / HTTP/1.1\r\nHost: a\r\n\r\n").ok());
}

TEST(Http2Session, EndsItselfAfterAViolation) {
  Side server(Role::kServer);
  output(server);
  static_cast<void>(server.session.receive(
      std::string(frames::kPreface) + frames::frame(frames::kSettings, 0, 0) +
      frames::frame(frames::kWindow, 0, 0, frames::number(0))));
  EXPECT_NE(output(server).find(std::string("\x07\x00\x00\x00\x00\x00", 6)), std::string::npos);
  EXPECT_TRUE(server.session.finished());
}

}  // namespace http2_session_test
}  // namespace proa::http
