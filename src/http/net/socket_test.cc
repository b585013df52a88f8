#include "http/net/socket.h"

#include <gtest/gtest.h>
#include <memory>

#include "base/check.h"
#include "http/server/listener.h"
#include "testkit/http/socket_probe.h"
#include "testkit/http/test_server.h"

namespace proa::http {
namespace socket_test {

using testkit::SocketProbe;

std::shared_ptr<const TlsContext> server_context() {
  TlsOptions options;
  options.certificate_pem = testkit::test_server_key().certificate_pem;
  options.private_key_pem = testkit::test_server_key().private_key_pem;
  return *TlsContext::server(options);
}

std::shared_ptr<const TlsContext> client_context() {
  TlsOptions options;
  options.roots_pem = testkit::test_authority().certificate_pem;
  return *TlsContext::client(options);
}

// Two ends of one connection: ours listens, ours connects.
struct Pair {
  explicit Pair(bool tls) {
    const auto endpoint = [&] {
      auto bound = listener.listen({"127.0.0.1", 0, {}});
      CHECK(bound.ok());
      return *bound;
    }();
    near.connect(endpoint, tls ? client_context() : nullptr, "127.0.0.1");
    const auto descriptor = accepted.take();
    CHECK(descriptor);
    std::unique_ptr<Socket> socket;
    loop.run_and_wait([&] {
      socket = Socket::adopt(loop, *descriptor, false, tls ? server_context() : nullptr);
    });
    far.adopt(std::move(socket));
    listener.stop();
    EXPECT_EQ(near.next(), "established");
    if (tls) {
      EXPECT_EQ(far.next(), "established");
    }
  }

  Loop loop;
  testkit::Inbox<int> accepted;
  Listener listener{loop,
                    [this](int descriptor, const std::string&, bool) { accepted.put(descriptor); }};
  SocketProbe near{loop};
  SocketProbe far{loop};
};

class SocketTest : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(, SocketTest, testing::Bool(),
                         [](const auto& tls) { return tls.param ? "WithTls" : "Plain"; });

TEST_P(SocketTest, CarriesBytesBothWays) {
  Pair pair(GetParam());
  pair.near.send("hello");
  EXPECT_EQ(pair.far.receive(5), "hello");
  const std::string large(3'000'000, 'x');
  pair.far.send(large);
  EXPECT_EQ(pair.near.receive(large.size()), large);
  pair.near.use([](Socket& socket) {
    EXPECT_EQ(socket.unsent(), 0U);
    EXPECT_EQ(socket.peer_address(), "127.0.0.1");
    EXPECT_TRUE(socket.established());
    EXPECT_GE(socket.bytes_sent(), 5U);
  });
}

TEST_P(SocketTest, SendsSmallPiecesInOrder) {
  Pair pair(GetParam());
  std::string all;
  pair.near.use([&](Socket& socket) {
    for (int i = 0; i < 5000; ++i) {
      all += std::to_string(i) + ",";
      socket.write(Bytes(std::to_string(i) + ","));
    }
    socket.flush();
  });
  EXPECT_EQ(pair.far.receive(all.size()), all);
}

TEST_P(SocketTest, EndsOneDirectionAtATime) {
  Pair pair(GetParam());
  const std::string large(2'000'000, 'x');
  pair.near.use([&](Socket& socket) {
    socket.write(Bytes(large));
    socket.shutdown();
  });
  EXPECT_EQ(pair.far.receive(large.size()), large);
  EXPECT_EQ(pair.far.next(), "end");
  pair.far.send("still here");
  EXPECT_EQ(pair.near.receive(10), "still here");
  pair.far.use([](Socket& socket) { socket.shutdown(); });
  EXPECT_EQ(pair.near.next(), "end");
}

TEST_P(SocketTest, HoldsThePeerBackWhilePaused) {
  Pair pair(GetParam());
  pair.far.use([](Socket& socket) { socket.pause(); });
  const std::string large(32 << 20, 'x');
  pair.near.send(large);
  for (int i = 0; i < 50; ++i) pair.loop.run_and_wait([] {});
  EXPECT_TRUE(pair.far.quiet());
  pair.near.use([](Socket& socket) { EXPECT_GT(socket.unsent(), 1U << 20); });
  pair.far.use([](Socket& socket) { socket.resume(); });
  EXPECT_EQ(pair.far.receive(large.size()).size(), large.size());
}

TEST_P(SocketTest, SendsALargeAnswerInManyTurns) {
  Pair pair(GetParam());
  constexpr size_t kSize = 2'000'000;
  pair.far.use([](Socket& socket) {
    const uint64_t before = socket.bytes_sent();
    socket.write(Bytes(std::string(kSize, 'x')));
    socket.flush();
    EXPECT_GT(socket.bytes_sent(), before);
    EXPECT_LT(socket.bytes_sent() - before, 400'000U);
    EXPECT_GT(socket.unsent(), 0U);
    socket.flush();  // gives it no second share in the same turn
    EXPECT_LT(socket.bytes_sent() - before, 400'000U);
  });
  EXPECT_EQ(pair.near.receive(kSize).size(), kSize);
}

TEST_P(SocketTest, ChangesHandsWithoutLosingBytes) {
  Pair pair(GetParam());
  pair.near.send("before ");
  EXPECT_EQ(pair.far.receive(7), "before ");
  auto socket = pair.far.release();
  pair.near.send("between ");
  pair.near.use([](Socket& near) { near.shutdown(); });
  for (int i = 0; i < 20; ++i) pair.loop.run_and_wait([] {});
  SocketProbe next(pair.loop);
  next.adopt(std::move(socket));
  EXPECT_EQ(next.receive(8), "between ");
  EXPECT_EQ(next.next(), "end");
}

TEST_P(SocketTest, TellsThatThePeerIsGone) {
  Pair pair(GetParam());
  auto socket = pair.far.release();
  pair.loop.run_and_wait([&] { socket.reset(); });
  // Closed without a close_notify, TLS takes it for a failure.
  EXPECT_TRUE(pair.near.next().starts_with(GetParam() ? "closed connection cut off" : "end"));
}

TEST(Socket, SaysWhyItCanNotConnect) {
  Loop loop;
  SocketProbe probe(loop);
  probe.connect({"127.0.0.1", 1, {}});
  EXPECT_EQ(probe.next(), "closed connecting to 127.0.0.1:1: connection refused");
  SocketProbe no_address(loop);
  no_address.connect({"nonsense", 1, {}});
  EXPECT_EQ(no_address.next(), "closed connecting to nonsense:1: invalid argument");
  SocketProbe no_path(loop);
  no_path.connect({{}, 0, "/nonexistent/socket"});
  EXPECT_EQ(no_path.next(),
            "closed connecting to unix:/nonexistent/socket: no such file or directory");
}

TEST(Socket, CanBeDestroyedWhileItConnects) {
  Loop loop;
  SocketProbe probe(loop);
  probe.connect({"127.0.0.1", 1, {}});
}

TEST(Socket, SendsWhatWasWrittenBeforeItWasConnected) {
  testkit::TestServer server(testkit::echo, false);
  Loop loop;
  SocketProbe probe(loop);
  loop.run_and_wait([&] {});
  probe.connect(server.endpoint());
  probe.send("GET / HTTP/1.0\r\n\r\n");
  EXPECT_EQ(probe.next(), "established");
  EXPECT_TRUE(probe.receive(10).starts_with("HTTP/1.0 200"));
}

}  // namespace socket_test
}  // namespace proa::http
