#include "http/client/http2_carrier.h"

#include <gtest/gtest.h>

#include <atomic>
#include <set>

#include "http/client/client.h"
#include "testkit/http/http2_client.h"
#include "testkit/http/scripted_server.h"

namespace proa::http {
namespace http2_carrier_test {

using namespace std::chrono_literals;
using testkit::ScriptedHttp2;
using testkit::ScriptedPeer;
using testkit::ScriptedServer;

constexpr uint32_t kInternalError = 2;
constexpr uint32_t kRefusedStream = 7;

class Http2CarrierTest : public testing::Test {
 protected:
  Until soon() { return Until::after(clock, 20s); }
  static ClientRequest request(const ScriptedServer& server, std::string method = "GET") {
    ClientRequest made{
        .origin = server.origin(), .method = std::move(method), .headers = {}, .body = {}};
    made.origin.protocol = HttpProtocol::kHttp2;
    return made;
  }

  SystemClock clock;
  LoopGroup loops{1};
  Client client{loops, clock, {}};
};

// Calls a function for each request.
struct Serving : ScriptedHttp2 {
  using Answer = std::function<void(Serving&, StreamId, const RequestHead&)>;
  Serving(ScriptedPeer& peer, Answer answer, Http2Limits limits = {})
      : ScriptedHttp2(peer, limits), answer_(std::move(answer)) {}
  void on_request(StreamId stream, RequestHead head, bool) override {
    answer_(*this, stream, head);
  }
  void ok(StreamId stream, std::string_view body = "ok") {
    session.respond(stream, {200, {}}, false);
    session.send(stream, Bytes::copy_of(body));
    session.end(stream, {{"trailer", "yes"}});
  }

 private:
  Answer answer_;
};

TEST_F(Http2CarrierTest, SharesOneConnection) {
  ScriptedServer server([&](ScriptedPeer& peer, int) {
    std::vector<StreamId> streams;
    Serving session(peer, [&](Serving& self, StreamId stream, const RequestHead& head) {
      EXPECT_EQ(head.authority, server.origin().authority());
      EXPECT_EQ(head.scheme, "http");
      streams.push_back(stream);
      if (streams.size() < 10) return;
      // The last comes first.
      for (; !streams.empty(); streams.pop_back())
        self.ok(streams.back(), std::to_string(streams.back()));
    });
    session.run();
  });
  std::vector<std::unique_ptr<BlockingCall>> calls;
  for (int i = 0; i < 10; ++i) calls.push_back(client.open(request(server)));
  std::set<std::string> bodies;
  for (const auto& call : calls) {
    ASSERT_TRUE(call->head(soon()).ok());
    const auto part = call->read(soon());
    ASSERT_TRUE(part.ok() && part->has_value());
    bodies.insert((*part)->str());
    ASSERT_FALSE(call->read(soon())->has_value());
    EXPECT_EQ(call->trailers().get("trailer"), "yes");
  }
  EXPECT_EQ(bodies.size(), 10U);
  EXPECT_EQ(server.accepted(), 1);
}

TEST_F(Http2CarrierTest, StartsOverWhatAGoawayLeftOut) {
  ScriptedServer server([&](ScriptedPeer& peer, int number) {
    Serving session(peer, [&](Serving& self, StreamId stream, const RequestHead&) {
      if (number > 0) self.ok(stream);
    });
    if (number > 0) return session.run();
    // A GOAWAY that names no stream as seen, by hand: length 8, type 7, stream 0, last 0, no error.
    session.flush();
    peer.receive_until(std::string("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"));
    peer.receive();
    peer.send(std::string("\0\0\x08\x07\0\0\0\0\0\0\0\0\0\0\0\0\0", 17));
    peer.receive_all();
  });
  ClientRequest post = request(server, "POST");
  post.body = Bytes::of_static("once");
  const auto response = client.send(post, soon());
  ASSERT_TRUE(response.ok()) << response.status().message();
  EXPECT_EQ(server.accepted(), 2);
}

TEST_F(Http2CarrierTest, RepeatsRefusedStreamsButNotForever) {
  std::atomic<int> seen = 0;
  ScriptedServer server([&](ScriptedPeer& peer, int) {
    Serving session(peer, [&](Serving& self, StreamId stream, const RequestHead& head) {
      if (++seen == 3 && head.method == "POST") return self.ok(stream);
      self.session.reset(stream, kRefusedStream);
    });
    session.run();
  });
  EXPECT_TRUE(client.send(request(server, "POST"), soon()).ok());
  EXPECT_EQ(seen, 3);
  EXPECT_TRUE(client.send(request(server), soon()).is(Reason::kServiceUnavailable));
}

TEST_F(Http2CarrierTest, DoesNotRepeatWhatThePeerMayHaveDone) {
  std::atomic<int> seen = 0;
  ScriptedServer server([&](ScriptedPeer& peer, int) {
    Serving session(peer, [&](Serving& self, StreamId stream, const RequestHead&) {
      ++seen;
      self.session.reset(stream, kInternalError);
    });
    session.run();
  });
  EXPECT_TRUE(client.send(request(server), soon()).is(Reason::kServiceUnavailable));
  EXPECT_EQ(seen, 1);
}

TEST_F(Http2CarrierTest, FailsWhenTheAnswerIsCutShort) {
  ScriptedServer server([&](ScriptedPeer& peer, int) {
    bool answered = false;
    Serving session(peer, [&](Serving& self, StreamId stream, const RequestHead&) {
      self.session.respond(stream, {200, {}}, false);
      self.session.send(stream, Bytes::of_static("half"));
      answered = true;
    });
    session.run([&] { return answered; });
  });
  EXPECT_TRUE(client.send(request(server), soon()).is(Reason::kServiceUnavailable));
}

TEST_F(Http2CarrierTest, RefusesGarbage) {
  for (const char* garbage :
       {"HTTP/1.1 400 Bad Request\r\n\r\n", "\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f"}) {
    ScriptedServer server([&](ScriptedPeer& peer, int) {
      peer.send(garbage);
      peer.receive_all();
    });
    EXPECT_TRUE(client.send(request(server), soon()).is(Reason::kServiceUnavailable));
  }
}

TEST_F(Http2CarrierTest, EndsAConnectionWhosePeerSendsFramesWithoutProgress) {
  namespace frames = testkit::frames;
  for (const std::string& frame :
       {frames::frame(frames::kPing, 0, 0, "12345678"), frames::frame(frames::kSettings, 0, 0),
        frames::frame(0xee, 0, 0, "unknown")}) {
    SCOPED_TRACE(static_cast<int>(frame[3]));
    ScriptedServer server([&](ScriptedPeer& peer, int) {
      bool asked = false;
      Serving session(peer, [&](Serving&, StreamId, const RequestHead&) { asked = true; });
      session.run([&] { return asked; });
      std::string flood;
      for (int i = 0; i < 1000; ++i) flood += frame;
      while (peer.send(flood)) {
      }
    });
    const auto response = client.send(request(server), soon());
    ASSERT_TRUE(response.is(Reason::kServiceUnavailable));
    EXPECT_NE(response.status().message().find("too many frames without progress"),
              std::string::npos)
        << response.status().message();
    EXPECT_EQ(server.accepted(), 1);
  }
}

TEST_F(Http2CarrierTest, OpensAnotherConnectionWhenThePeerTakesNoMoreStreams) {
  ScriptedServer server([&](ScriptedPeer& peer, int) {
    Serving session(
        peer,
        [](Serving& self, StreamId stream, const RequestHead&) {
          self.session.respond(stream, {200, {}}, false);
        },
        Http2Limits{.concurrent_streams = 2});
    session.run();
  });
  std::vector<std::unique_ptr<BlockingCall>> calls;
  for (int i = 0; i < 5; ++i) {
    calls.push_back(client.open(request(server)));
    ASSERT_TRUE(calls.back()->head(soon()).ok());
  }
  EXPECT_EQ(server.accepted(), 3);
  // Room that gets free is used.
  calls.clear();
  ASSERT_TRUE(client.open(request(server))->head(soon()).ok());
  EXPECT_EQ(server.accepted(), 3);
}

TEST_F(Http2CarrierTest, NoticesAPeerThatFellSilent) {
  ScriptedServer server([&](ScriptedPeer& peer, int) { peer.receive_all(); });
  Client watchful(loops, clock,
                  {.pool = {.connection = {.ping_after = 20ms, .ping_timeout = 20ms}}});
  const auto call = watchful.open(request(server));
  const auto head = call->head(soon());
  ASSERT_TRUE(head.is(Reason::kServiceUnavailable));
  EXPECT_NE(head.status().message().find("does not respond to pings"), std::string::npos);
}

TEST_F(Http2CarrierTest, KeepsAQuietConnectionWhosePeerAnswersPings) {
  ScriptedServer server([&](ScriptedPeer& peer, int) {
    int turns = 0;
    StreamId opened = 0;
    Serving session(peer, [&](Serving&, StreamId stream, const RequestHead&) { opened = stream; });
    session.run([&] { return ++turns > 8; });  // each ping is a turn
    session.ok(opened);
    session.flush();
    session.run();
  });
  Client watchful(loops, clock, {.pool = {.connection = {.ping_after = 5ms, .ping_timeout = 10s}}});
  EXPECT_TRUE(watchful.send(request(server), soon()).ok());
}

TEST_F(Http2CarrierTest, AnotherTlsSetUpLeavesPlainConnectionsAlone) {
  ScriptedServer server([&](ScriptedPeer& peer, int) {
    Serving session(peer,
                    [](Serving& self, StreamId stream, const RequestHead&) { self.ok(stream); });
    session.run();
  });
  ASSERT_TRUE(client.send(request(server), soon()).ok());
  // Plain connections have nothing to do with certificates.
  client.set_tls({});
  ASSERT_TRUE(client.send(request(server), soon()).ok());
  EXPECT_EQ(server.accepted(), 1);
}

}  // namespace http2_carrier_test
}  // namespace proa::http
