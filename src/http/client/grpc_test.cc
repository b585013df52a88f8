#include "http/client/grpc.h"

#include <gtest/gtest.h>

#include <future>

#include "testkit/http/scripted_server.h"

namespace proa::http {
namespace client_grpc_test {

using namespace std::chrono_literals;
using testkit::ScriptedHttp2;
using testkit::ScriptedPeer;
using testkit::ScriptedServer;

// A gRPC server: `/echo` sends each message back, `/count` sends numbers, other methods fail in
// their ways.
struct GrpcPeer : ScriptedHttp2 {
  using ScriptedHttp2::ScriptedHttp2;

  void on_request(StreamId stream, RequestHead head, bool) override {
    last_head = head;
    const Headers good = {{"content-type", "application/grpc"}};
    if (head.target == "/echo") {
      session.respond(stream, {200, good}, false);
    } else if (head.target == "/count") {
      session.respond(stream, {200, good}, false);
      for (int i = 0; i < 1000; ++i) session.send(stream, print_grpc_frame(std::string(1000, 'x')));
      session.end(stream, {{"grpc-status", "0"}});
    } else if (head.target == "/trailers-only") {
      session.respond(stream,
                      {200,
                       {{"content-type", "application/grpc"},
                        {"grpc-status", "5"},
                        {"grpc-message", "no%20such"}}},
                      true);
    } else if (head.target == "/html") {
      session.respond(stream, {200, {{"content-type", "text/html"}}}, true);
    } else if (head.target == "/busy") {
      session.respond(stream, {503, {}}, true);
    } else if (head.target == "/compressed") {
      answer(stream, std::string("\1\0\0\0\1x", 6), "0");
    } else if (head.target == "/gzip") {
      session.respond(
          stream, {200, {{"content-type", "application/grpc"}, {"grpc-encoding", "gzip"}}}, true);
    } else if (head.target == "/large") {
      answer(stream, print_grpc_frame(std::string(5000, 'x')), "0");
    } else if (head.target == "/half") {
      answer(stream, print_grpc_frame("abc").substr(0, 6), "0");
    } else if (head.target == "/nothing") {
      answer(stream, "", "0");
    } else if (head.target == "/two") {
      answer(stream, print_grpc_frame("a") + print_grpc_frame("b"), "0");
    } else if (head.target == "/late-failure") {
      answer(stream, print_grpc_frame("a"), "14");
    }
  }
  void on_body(StreamId stream, std::string_view bytes) override {
    session.consume(stream, bytes.size());
    if (last_head.target == "/echo") session.send(stream, Bytes::copy_of(bytes));
  }
  void on_body_end(StreamId stream, Headers) override {
    if (last_head.target == "/echo") session.end(stream, {{"grpc-status", "0"}});
  }
  void answer(StreamId stream, std::string body, std::string_view status) {
    session.respond(stream, {200, {{"content-type", "application/grpc+proto"}}}, false);
    session.send(stream, Bytes(std::move(body)));
    session.end(stream, {{"grpc-status", std::string(status)}});
  }

  RequestHead last_head;
};

class GrpcTest : public testing::Test {
 protected:
  Until soon() { return Until::after(clock, 20s); }

  SystemClock clock;
  LoopGroup loops{1};
  Client client{loops, clock, {}};
  std::promise<RequestHead> first_head;
  ScriptedServer server{[this](ScriptedPeer& peer, int) {
    GrpcPeer session(peer);
    session.run([&] { return !session.last_head.target.empty(); });
    first_head.set_value(session.last_head);
    session.run();
  }};
  GrpcChannel channel{client, server.origin(), {.max_message = 4096}};
};

TEST_F(GrpcTest, UnaryCallSendsOneMessageAndGetsOne) {
  const auto answer = channel.unary("/echo", "hello", Until::after(clock, 10s), {{"x-token", "t"}});
  ASSERT_TRUE(answer.ok()) << answer.status().message();
  EXPECT_EQ(answer->view(), "hello");
  const RequestHead head = first_head.get_future().get();
  EXPECT_EQ(head.method, "POST");
  EXPECT_EQ(head.headers.get("content-type"), "application/grpc");
  EXPECT_EQ(head.headers.get("te"), "trailers");
  EXPECT_EQ(head.headers.get("x-token"), "t");
  EXPECT_EQ(head.headers.get("grpc-timeout").back(), 'u');
}

TEST_F(GrpcTest, FailuresHaveTheirCodes) {
  const std::pair<const char*, GrpcCode> cases[] = {
      {"/trailers-only", GrpcCode::kNotFound}, {"/html", GrpcCode::kUnknown},
      {"/busy", GrpcCode::kUnavailable},       {"/compressed", GrpcCode::kUnimplemented},
      {"/gzip", GrpcCode::kUnimplemented},     {"/large", GrpcCode::kResourceExhausted},
      {"/half", GrpcCode::kInternal},          {"/nothing", GrpcCode::kInternal},
      {"/two", GrpcCode::kInternal},           {"/late-failure", GrpcCode::kUnavailable},
  };
  for (const auto& [method, code] : cases) {
    SCOPED_TRACE(method);
    const auto answer = channel.unary(method, "", soon());
    ASSERT_FALSE(answer.ok());
    EXPECT_EQ(grpc_code(answer.status()), code) << answer.status().message();
  }
  EXPECT_EQ(channel.unary("/trailers-only", "", soon()).status().message(), "no such");
  const auto late = channel.unary("/never", "", Until::after(clock, 10ms));
  ASSERT_FALSE(late.ok());
  EXPECT_EQ(grpc_code(late.status()), GrpcCode::kDeadlineExceeded);
}

TEST_F(GrpcTest, NobodyThereIsUnavailable) {
  GrpcChannel nowhere(client, {.host = "127.0.0.1", .port = 1});
  const auto answer = nowhere.unary("/echo", "", soon());
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(grpc_code(answer.status()), GrpcCode::kUnavailable);
}

TEST_F(GrpcTest, StreamsInBothDirections) {
  const auto stream = channel.open("/echo");
  for (const char* word : {"one", "", "three"}) {
    ASSERT_TRUE(stream->send(word, soon()).ok());
    const auto answer = stream->receive(soon());
    ASSERT_TRUE(answer.ok() && answer->has_value());
    EXPECT_EQ((*answer)->view(), word);
  }
  stream->half_close();
  const auto end = stream->receive(soon());
  ASSERT_TRUE(end.ok()) << end.status().message();
  EXPECT_FALSE(end->has_value());
}

TEST_F(GrpcTest, CancelEndsAReceive) {
  const auto stream = channel.open("/echo");
  std::jthread canceller([&] { stream->cancel(); });
  EXPECT_FALSE(stream->receive(soon()).ok());
}

// Counts messages, and pauses after every hundredth until resumed.
struct Counter final : GrpcEvents {
  void on_message(Bytes message) override {
    EXPECT_EQ(message.size(), 1000U);
    EXPECT_FALSE(paused);
    if (++count % 100 != 0) return;
    paused = true;
    call->pause();
  }
  void on_end(const std::optional<Status>& failure) override {
    ended.set_value(!failure.has_value());
  }

  // Loop thread.
  GrpcCall* call = nullptr;
  int count = 0;
  bool paused = false;
  std::promise<bool> ended;
};

TEST_F(GrpcTest, CallbacksComeOnlyWhileNotPaused) {
  const auto events = std::make_shared<Counter>();
  std::optional<GrpcCall> call;
  // On the loop's thread, so that the call is there before its first event.
  loops.at(0).run_and_wait([&] {
    call.emplace(channel.start("/count", events));
    call->half_close();
    events->call = &*call;
  });
  auto ended = events->ended.get_future();
  while (ended.wait_for(1ms) != std::future_status::ready) {
    loops.at(0).run_and_wait([&] {
      events->paused = false;
      call->resume();
    });
  }
  EXPECT_TRUE(ended.get());
  EXPECT_EQ(events->count, 1000);
}

TEST_F(GrpcTest, NoEventComesAfterCancelOnTheLoop) {
  struct Never final : GrpcEvents {
    void on_message(Bytes) override { ADD_FAILURE(); }
    void on_end(const std::optional<Status>&) override { ADD_FAILURE(); }
  };
  loops.at(0).run_and_wait([&] { channel.start("/count", std::make_shared<Never>()).cancel(); });
  EXPECT_EQ(channel.unary("/echo", "x", soon())->view(), "x");
}

}  // namespace client_grpc_test
}  // namespace proa::http
