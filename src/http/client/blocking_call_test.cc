#include "http/client/blocking_call.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <semaphore>
#include <thread>

#include "http/client/client.h"
#include "testkit/http/scripted_server.h"

namespace proa::http {
namespace blocking_call_test {

using namespace std::chrono_literals;
using testkit::ScriptedHttp2;
using testkit::ScriptedPeer;
using testkit::ScriptedServer;

// Runs a test over HTTP/1.1 and over HTTP/2.
class BlockingCallTest : public testing::TestWithParam<HttpProtocol> {
 protected:
  Until soon() { return Until::after(clock, 20s); }
  bool is_http2() const { return GetParam() == HttpProtocol::kHttp2; }

  ClientRequest request(const ScriptedServer& server, bool streams_body = false) {
    ClientRequest made{.origin = server.origin(), .headers = {}, .body = {}};
    made.origin.protocol = GetParam();
    if (streams_body) made.method = "POST";
    made.streams_body = streams_body;
    return made;
  }

  SystemClock clock;
  LoopGroup loops{1};
  Client client{loops, clock, {}};
};

// A scripted server for one request: sends a head, then runs `on_open`.
struct Answering : ScriptedHttp2 {
  using ScriptedHttp2::ScriptedHttp2;
  void on_request(StreamId stream, RequestHead, bool) override { on_open(stream); }
  std::function<void(StreamId)> on_open;
};

// Reads a request head and hands a function to send parts of the answer to `script`.
void answer(ScriptedPeer& peer, bool http2,
            const std::function<void(const std::function<bool(std::string_view)>& part)>& script) {
  if (!http2) {
    peer.receive_until("\r\n\r\n");
    if (!peer.send("HTTP/1.1 200 OK\r\n\r\n")) return;
    return script([&](std::string_view bytes) { return peer.send(bytes); });
  }
  Answering session(peer);
  StreamId stream = 0;
  session.on_open = [&](StreamId opened) { stream = opened; };
  session.run([&] { return stream != 0; });
  session.session.respond(stream, {200, {}}, false);
  session.flush();
  script([&](std::string_view bytes) {
    session.session.send(stream, Bytes::copy_of(bytes));
    session.flush();
    return true;
  });
  session.session.end(stream);
  session.flush();
  session.run();
}

TEST_P(BlockingCallTest, ReadsPartsAsTheyCome) {
  std::binary_semaphore was_read(0);
  ScriptedServer server([&](ScriptedPeer& peer, int) {
    answer(peer, is_http2(), [&](const auto& part) {
      for (const char* word : {"one", "two", "three"}) {
        part(word);
        was_read.acquire();
      }
    });
  });
  const auto call = client.open(request(server));
  ASSERT_EQ(call->head(soon())->status, 200);
  for (const char* word : {"one", "two", "three"}) {
    const auto part = call->read(soon());
    ASSERT_TRUE(part.ok() && part->has_value());
    EXPECT_EQ((*part)->view(), word);
    was_read.release();
  }
  const auto end = call->read(soon());
  ASSERT_TRUE(end.ok());
  EXPECT_FALSE(end->has_value());
}

TEST_P(BlockingCallTest, HoldsASenderBackWhoseReaderDoesNotRead) {
  constexpr size_t kTotal = 64 * 1024 * 1024;
  std::atomic<size_t> sent = 0;
  ScriptedServer server([&](ScriptedPeer& peer, int) {
    if (!is_http2()) {
      peer.receive_until("\r\n\r\n");
      peer.send("HTTP/1.1 200 OK\r\ncontent-length: " + std::to_string(kTotal) + "\r\n\r\n");
      const std::string block(64 * 1024, 'x');
      while (sent < kTotal && peer.send(block)) sent += block.size();
      peer.receive_all();
      return;
    }
    struct Sender : Answering {
      using Answering::Answering;
      void on_sent(StreamId, size_t bytes) override { *count += bytes; }
      std::atomic<size_t>* count = nullptr;
    } session(peer);
    session.count = &sent;
    session.on_open = [&](StreamId stream) {
      session.session.respond(stream, {200, {}}, false);
      session.session.send(stream, Bytes(std::string(kTotal, 'x')));
      session.session.end(stream);
    };
    session.run();
  });
  const auto call = client.open(request(server));
  ASSERT_TRUE(call->head(soon()).ok());
  size_t read = 0;
  // Whatever the timing, sent bytes are ahead of read bytes by at most the windows and the kernel's
  // buffers.
  constexpr size_t kAhead = 24 * 1024 * 1024;
  while (read < kTotal) {
    EXPECT_LE(sent, read + kAhead);
    const auto part = call->read(soon());
    ASSERT_TRUE(part.ok() && part->has_value());
    read += (*part)->size();
  }
  EXPECT_FALSE(call->read(soon())->has_value());
  EXPECT_EQ(read, kTotal);
}

TEST_P(BlockingCallTest, DeadlineEndsTheWaitButNotTheCall) {
  std::binary_semaphore go_on(0);
  ScriptedServer server([&](ScriptedPeer& peer, int) {
    answer(peer, is_http2(), [&](const auto& part) {
      go_on.acquire();
      part("late");
    });
  });
  const auto call = client.open(request(server));
  ASSERT_TRUE(call->head(soon()).ok());
  EXPECT_TRUE(call->read(Until::after(clock, 10ms)).is(Reason::kTimeout));
  go_on.release();
  const auto part = call->read(soon());
  ASSERT_TRUE(part.ok() && part->has_value());
  EXPECT_EQ((*part)->view(), "late");
}

TEST_P(BlockingCallTest, TellsThatThereIsSomethingToRead) {
  std::binary_semaphore go_on(0);
  ScriptedServer server([&](ScriptedPeer& peer, int) {
    answer(peer, is_http2(), [&](const auto& part) {
      go_on.acquire();
      part("late");
    });
  });
  const Until now{.deadline = Steady::min(), .stop = {}};
  std::counting_semaphore<> told(0);
  const auto call = client.open(request(server));
  ASSERT_TRUE(call->head(soon()).ok());
  call->on_readable([&] { told.release(); });
  EXPECT_TRUE(call->read(now).is(Reason::kTimeout));
  go_on.release();
  // A reader that polls on every notification, without blocking, reads everything.
  std::string read;
  bool ended = false;
  while (!ended) {
    ASSERT_TRUE(told.try_acquire_for(20s));
    for (auto part = call->read(now); part.ok(); part = call->read(now)) {
      ended = !part->has_value();
      if (ended) break;
      read += (*part)->view();
    }
  }
  EXPECT_EQ(read, "late");
}

TEST_P(BlockingCallTest, StopTokenEndsTheWait) {
  ScriptedServer server([&](ScriptedPeer& peer, int) { peer.receive_all(); });
  std::stop_source stop;
  const auto call = client.open(request(server));
  std::jthread stopper([&] { stop.request_stop(); });
  EXPECT_TRUE(call->head({Steady::max(), stop.get_token()}).is(Reason::kServiceUnavailable));
  EXPECT_TRUE(client.send(request(server), {Steady::max(), stop.get_token()})
                  .is(Reason::kServiceUnavailable));
}

TEST_P(BlockingCallTest, CancelAtAnyTimeIsSafe) {
  ScriptedServer server([&](ScriptedPeer& peer, int) {
    if (!is_http2()) {
      return answer(peer, false, [](const auto& part) {
        for (int i = 0; i < 20 && part("some text"); ++i) {
        }
      });
    }
    Answering session(peer);
    session.on_open = [&](StreamId stream) {
      session.session.respond(stream, {200, {}}, false);
      for (int i = 0; i < 20; ++i) session.session.send(stream, Bytes::of_static("some text"));
      session.session.end(stream);
    };
    session.run();
  });
  for (int round = 0; round < 60; ++round) {
    const auto call = client.open(request(server, round % 2 == 0));
    if (round % 3 == 0) static_cast<void>(call->head(soon()));
    if (round % 2 == 0) static_cast<void>(call->write(Bytes::of_static("text"), soon()));
    std::jthread canceller([&] { call->cancel(); });
    while (true) {
      const auto part = call->read(soon());
      ASSERT_FALSE(part.is(Reason::kTimeout));
      if (!part.ok() || !part->has_value()) break;
    }
  }
}

TEST_P(BlockingCallTest, WritesABodyInPartsAndWaitsForASlowReader) {
  constexpr size_t kBlock = 64 * 1024;
  constexpr size_t kBlocks = 256;
  std::binary_semaphore begin(0);
  std::atomic<size_t> received = 0;
  ScriptedServer server([&](ScriptedPeer& peer, int) {
    if (!is_http2()) {
      peer.receive_until("\r\n\r\n");
      begin.acquire();
      const std::string body = peer.receive_until("0\r\nsum: 1\r\n\r\n");
      received = static_cast<size_t>(std::count(body.begin(), body.end(), 'x'));
      peer.send("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
      peer.receive_all();
      return;
    }
    struct Upload : ScriptedHttp2 {
      using ScriptedHttp2::ScriptedHttp2;
      void on_body(StreamId stream, std::string_view bytes) override {
        *count += bytes.size();
        session.consume(stream, bytes.size());
      }
      void on_body_end(StreamId stream, Headers trailers) override {
        session.respond(stream, {trailers.get("sum") == "1" ? 200 : 400, {}}, true);
      }
      std::atomic<size_t>* count = nullptr;
    } session(peer);
    session.count = &received;
    begin.acquire();
    session.run();
  });
  const auto call = client.open(request(server, true));
  const Bytes block(std::string(kBlock, 'x'));
  // Without a reader a write blocks eventually, and its deadline passes.
  size_t written = 0;
  while (written < kBlocks) {
    const auto result = call->write(block, Until::after(clock, 20ms));
    if (!result.ok()) {
      EXPECT_TRUE(result.is(Reason::kTimeout));
      break;
    }
    ++written;
  }
  EXPECT_LT(written, kBlocks);
  begin.release();
  for (; written < kBlocks; ++written) ASSERT_TRUE(call->write(block, soon()).ok());
  call->finish_writing({{"sum", "1"}});
  const auto head = call->head(soon());
  ASSERT_TRUE(head.ok()) << head.status().message();
  EXPECT_EQ(head->status, 200);
  EXPECT_EQ(received, kBlock * kBlocks);
}

TEST_P(BlockingCallTest, WritingFailsOnceThePeerIsGone) {
  ScriptedServer server([&](ScriptedPeer& peer, int) { peer.receive(); });
  const auto call = client.open(request(server, true));
  const Bytes block(std::string(64 * 1024, 'x'));
  Result<void> result;
  while (result.ok()) result = call->write(block, soon());
  EXPECT_TRUE(result.is(Reason::kServiceUnavailable)) << result.status().message();
}

INSTANTIATE_TEST_SUITE_P(Protocols, BlockingCallTest,
                         testing::Values(HttpProtocol::kHttp1, HttpProtocol::kHttp2),
                         [](const auto& parameter) {
                           return parameter.param == HttpProtocol::kHttp2 ? "Http2" : "Http1";
                         });

}  // namespace blocking_call_test
}  // namespace proa::http
