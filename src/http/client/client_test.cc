#include "http/client/client.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <latch>

#include "testkit/http/scripted_server.h"
#include "testkit/patience.h"

namespace proa::http {
namespace client_test {

using namespace std::chrono_literals;
using testkit::ScriptedPeer;
using testkit::ScriptedServer;

constexpr std::string_view kOk = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

class ClientTest : public testing::Test {
 protected:
  Until soon() { return Until::after(clock, 20s); }
  ClientRequest get(const ScriptedServer& server, std::string target = "/") {
    return {.origin = server.origin(), .target = std::move(target), .headers = {}, .body = {}};
  }

  SystemClock clock;
  LoopGroup loops{2};
  Client client{loops, clock, {}};
};

// Answers every request of every connection with 200.
void serve_ok(ScriptedPeer& peer, int) {
  while (!peer.receive_until("\r\n\r\n").empty() && peer.send(kOk)) {
  }
}

TEST_F(ClientTest, SendsARequestAndReadsTheAnswer) {
  std::string seen;
  ScriptedServer server([&](ScriptedPeer& peer, int) {
    seen = peer.receive_until("\r\n\r\n{}");
    peer.send(
        "HTTP/1.1 201 Created\r\nX-Name: value\r\ntransfer-encoding: chunked\r\n\r\n"
        "3\r\nabc\r\n2\r\nde\r\n0\r\nchecksum: 9\r\n\r\n");
    peer.receive_all();
  });
  ClientRequest request = get(server, "/api?x=1");
  request.method = "POST";
  request.headers = {{"accept", "*/*"}, {"host", "evil"}, {"content-length", "99"}};
  request.body = Bytes::of_static("{}");
  const auto response = client.send(request, soon());
  ASSERT_TRUE(response.ok()) << response.status().message();
  EXPECT_EQ(response->status, 201);
  EXPECT_EQ(response->headers.get("x-name"), "value");
  EXPECT_EQ(response->body.view(), "abcde");
  EXPECT_EQ(response->trailers.get("checksum"), "9");
  EXPECT_EQ(seen, "POST /api?x=1 HTTP/1.1\r\nhost: " + server.origin().authority() +
                      "\r\naccept: */*\r\ncontent-length: 2\r\n\r\n{}");
}

TEST_F(ClientTest, KeepsAConnectionForTheNextCall) {
  ScriptedServer server(serve_ok);
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(client.send(get(server), soon()).ok());
  EXPECT_EQ(server.accepted(), 1);
  EXPECT_EQ(client.connections(), 1U);
}

TEST_F(ClientTest, OpensAConnectionForEachCallUnderWay) {
  std::latch all_there(3);
  ScriptedServer server([&](ScriptedPeer& peer, int) {
    peer.receive_until("\r\n\r\n");
    all_there.arrive_and_wait();
    peer.send(kOk);
    peer.receive_all();
  });
  std::vector<std::unique_ptr<BlockingCall>> calls;
  for (int i = 0; i < 3; ++i) calls.push_back(client.open(get(server)));
  for (const auto& call : calls) EXPECT_TRUE(call->head(soon()).ok());
}

TEST_F(ClientTest, WaitsForAConnectionBeyondTheLimit) {
  ScriptedServer server(serve_ok);
  Client narrow(loops, clock, {.pool = {.connections_per_origin = 2}});
  std::vector<std::unique_ptr<BlockingCall>> calls;
  for (int i = 0; i < 20; ++i) calls.push_back(narrow.open(get(server)));
  for (const auto& call : calls) EXPECT_TRUE(call->head(soon()).ok());
  EXPECT_LE(server.accepted(), 2);
}

TEST_F(ClientTest, DoesNotReuseAConnectionThatThePeerCloses) {
  ScriptedServer server([](ScriptedPeer& peer, int) {
    peer.receive_until("\r\n\r\n");
    peer.send("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
    peer.receive_all();
  });
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(client.send(get(server), soon()).ok());
  EXPECT_EQ(server.accepted(), 3);
}

TEST_F(ClientTest, RepeatsAGetOnAStaleConnectionButNotAPost) {
  // Each connection answers once, then closes when the second request has come.
  ScriptedServer server([](ScriptedPeer& peer, int) {
    peer.receive_until("\r\n\r\n");
    peer.send(kOk);
    peer.receive_until("\r\n\r\n");
  });
  ASSERT_TRUE(client.send(get(server), soon()).ok());
  ASSERT_TRUE(client.send(get(server), soon()).ok());
  EXPECT_EQ(server.accepted(), 2);

  ClientRequest post = get(server);
  post.method = "POST";
  const auto response = client.send(post, soon());
  EXPECT_TRUE(response.is(Reason::kServiceUnavailable));
  EXPECT_EQ(server.accepted(), 2);
}

TEST_F(ClientTest, DoesNotRepeatOnANewConnection) {
  ScriptedServer server([](ScriptedPeer& peer, int) { peer.receive_until("\r\n\r\n"); });
  const auto response = client.send(get(server), soon());
  ASSERT_TRUE(response.is(Reason::kServiceUnavailable));
  EXPECT_NE(response.status().message().find("before the response"), std::string::npos);
  EXPECT_EQ(server.accepted(), 1);
}

TEST_F(ClientTest, SaysWhereAConnectionWasRefused) {
  ClientRequest request{.origin = {.host = "127.0.0.1", .port = 1}, .headers = {}, .body = {}};
  const auto response = client.send(request, soon());
  ASSERT_TRUE(response.is(Reason::kServiceUnavailable));
  EXPECT_EQ(response.status().message(), "connecting to 127.0.0.1:1: connection refused");

  request.origin = Origin::unix_socket("/nonexistent/socket");
  EXPECT_EQ(client.send(request, soon()).status().message(),
            "connecting to unix:/nonexistent/socket: no such file or directory");
  request.origin = Origin::unix_socket("/" + std::string(200, 'x'));
  EXPECT_NE(client.send(request, soon()).status().message().find("path too long"),
            std::string::npos);
  request.origin = {.host = "name.invalid", .port = 80};
  EXPECT_NE(client.send(request, soon()).status().message().find("name.invalid"),
            std::string::npos);
}

TEST_F(ClientTest, ConnectsOnlyToAddressesThatItsCheckAllows) {
  ScriptedServer server(serve_ok);
  std::atomic<bool> allows = false;
  Client careful(loops, clock,
                 {.pool = {.check_address = [&](const Origin& origin, const std::string& address) {
                    EXPECT_EQ(origin.host, "localhost");
                    EXPECT_TRUE(address == "127.0.0.1" || address == "::1") << address;
                    return allows ? Result<void>() : Status(Reason::kForbidden, "not " + address);
                  }}});
  ClientRequest request = get(server);
  request.origin.host = "localhost";
  const auto refused = careful.send(request, soon());
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.status().message().find("connecting to http://localhost"), std::string::npos);
  EXPECT_NE(refused.status().message().find(": not "), std::string::npos);
  EXPECT_EQ(server.accepted(), 0);
  allows = true;
  EXPECT_TRUE(careful.send(request, soon()).ok());
  EXPECT_EQ(server.accepted(), 1);
}

TEST_F(ClientTest, RefusesAnswersThatAreWrong) {
  const std::string_view answers[] = {
      "garbage\r\n\r\n",
      "HTTP/1.1 200 OK\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
      "HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\nabc",
      "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nshort",
      "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nab",
      "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
      "HTTP/1.1 200 OK\r\nx: y",
      "HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n",
      "HTTP/1.1 100 Continue\r\n\r\n",
      "",
  };
  for (const auto answer : answers) {
    SCOPED_TRACE(answer);
    ScriptedServer server([&](ScriptedPeer& peer, int) {
      peer.receive_until("\r\n\r\n");
      peer.send(answer);
    });
    EXPECT_TRUE(client.send(get(server), soon()).is(Reason::kServiceUnavailable));
  }
}

TEST_F(ClientTest, RefusesAHeadThatIsTooLarge) {
  ScriptedServer server([&](ScriptedPeer& peer, int) {
    peer.receive_until("\r\n\r\n");
    peer.send("HTTP/1.1 200 OK\r\n");
    while (peer.send("x: " + std::string(1000, 'y') + "\r\n")) {
    }
  });
  EXPECT_FALSE(client.send(get(server), soon()).ok());
}

TEST_F(ClientTest, ClosesAfterBytesThatNobodyAskedFor) {
  ScriptedServer server([](ScriptedPeer& peer, int number) {
    peer.receive_until("\r\n\r\n");
    peer.send(number == 0 ? std::string(kOk) + std::string(kOk) : std::string(kOk));
    peer.receive_all();
  });
  ASSERT_TRUE(client.send(get(server), soon()).ok());
  ASSERT_TRUE(client.send(get(server), soon()).ok());
  EXPECT_EQ(server.accepted(), 2);
}

TEST_F(ClientTest, PassesOverInformationalAnswersAndBodilessOnes) {
  ScriptedServer server([](ScriptedPeer& peer, int) {
    peer.receive_until("\r\n\r\n");
    peer.send(
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\nHTTP/1.1 204 No "
        "Content\r\n\r\n");
    peer.receive_until("\r\n\r\n");
    peer.send("HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n");
    peer.receive_until("\r\n\r\n");
    peer.send("HTTP/1.1 304 Not Modified\r\ncontent-length: 1000\r\n\r\n");
    peer.receive_all();
  });
  EXPECT_EQ(client.send(get(server), soon())->status, 204);
  ClientRequest head = get(server);
  head.method = "HEAD";
  EXPECT_EQ(client.send(head, soon())->headers.get("content-length"), "1000");
  EXPECT_EQ(client.send(get(server), soon())->status, 304);
  EXPECT_EQ(server.accepted(), 1);
}

TEST_F(ClientTest, EndsACallThatGetsInformationalAnswersWithoutEnd) {
  ScriptedServer server([](ScriptedPeer& peer, int) {
    peer.receive_until("\r\n\r\n");
    while (peer.send("HTTP/1.1 100 Continue\r\n\r\n")) {
    }
  });
  const auto answer = client.send(get(server), soon());
  EXPECT_NE(answer.status().message().find("too many informational responses"), std::string::npos);
}

TEST_F(ClientTest, BoundsConnectionsOfAllOrigins) {
  ScriptedServer ok(serve_ok);
  ScriptedServer silent([](ScriptedPeer& peer, int) { peer.receive_all(); });
  const auto count = std::make_shared<ConnectionCount>(3, 3);
  LoopGroup one_loop{1};
  Client narrow(one_loop, clock, {.pool = {.count = count}});
  // Idle connections make room.
  for (int i = 0; i < 3; ++i) {
    ScriptedServer other(serve_ok);
    EXPECT_TRUE(narrow.send(get(other), soon()).ok());
  }
  std::vector<std::unique_ptr<BlockingCall>> calls;
  for (int i = 0; i < 3; ++i) calls.push_back(narrow.open(get(silent)));
  ASSERT_TRUE(testkit::holds_within(10s, [&] { return silent.accepted() == 3; }));
  const auto refused = narrow.send(get(ok), soon());
  EXPECT_NE(refused.status().message().find("too many connections are open"), std::string::npos);
  calls.clear();
  EXPECT_TRUE(testkit::holds_within(10s, [&] { return narrow.send(get(ok), soon()).ok(); }));
}

TEST_F(ClientTest, ReadsAnAnswerThatLastsUntilTheConnectionEnds) {
  ScriptedServer server([](ScriptedPeer& peer, int) {
    peer.receive_until("\r\n\r\n");
    peer.send("HTTP/1.0 200 OK\r\n\r\nall of it");
  });
  const auto response = client.send(get(server), soon());
  ASSERT_TRUE(response.ok());
  EXPECT_EQ(response->body.view(), "all of it");
}

TEST_F(ClientTest, NeverFollowsARedirect) {
  ScriptedServer server([](ScriptedPeer& peer, int) {
    peer.receive_until("\r\n\r\n");
    peer.send("HTTP/1.1 302 Found\r\nlocation: /elsewhere\r\ncontent-length: 0\r\n\r\n");
    peer.receive_all();
  });
  EXPECT_EQ(client.send(get(server), soon())->status, 302);
  EXPECT_EQ(server.accepted(), 1);
}

TEST_F(ClientTest, HoldsTheBodyLimit) {
  ScriptedServer server([](ScriptedPeer& peer, int) {
    peer.receive_until("\r\n\r\n");
    peer.send("HTTP/1.1 200 OK\r\n\r\n");
    while (peer.send(std::string(1000, 'x'))) {
    }
  });
  Client small(loops, clock, {.body_limit = 10'000});
  EXPECT_TRUE(small.send(get(server), soon()).is(Reason::kRequestEntityTooLarge));
}

TEST_F(ClientTest, RefusesRequestsThatWouldSmuggle) {
  ScriptedServer server(serve_ok);
  ClientRequest request = get(server, "/ HTTP/1.1\r\nx: y");
  EXPECT_TRUE(client.send(request, soon()).is(Reason::kBadRequest));
  request = get(server);
  request.headers.add("x", "y\r\nz: w");
  EXPECT_TRUE(client.send(request, soon()).is(Reason::kBadRequest));
  request = get(server);
  request.method = "GET /x";
  EXPECT_TRUE(client.send(request, soon()).is(Reason::kBadRequest));
}

TEST_F(ClientTest, ClosesIdleConnections) {
  std::promise<void> closed;
  ScriptedServer server([&](ScriptedPeer& peer, int) {
    serve_ok(peer, 0);
    closed.set_value();
  });
  Client brief(loops, clock, {.pool = {.connection = {.idle_timeout = 20ms}}});
  ASSERT_TRUE(brief.send(get(server), soon()).ok());
  EXPECT_EQ(closed.get_future().wait_for(20s), std::future_status::ready);
}

TEST_F(ClientTest, DestructionFailsWhatIsUnderWay) {
  ScriptedServer server([](ScriptedPeer& peer, int) { peer.receive_all(); });
  auto doomed = std::make_unique<Client>(loops, clock, ClientOptions{});
  const auto call = doomed->open(get(server));
  doomed.reset();
  EXPECT_TRUE(call->head(soon()).is(Reason::kServiceUnavailable));
}

TEST_F(ClientTest, NamesTheHostThatItIsTold) {
  std::string seen;
  ScriptedServer server([&](ScriptedPeer& peer, int) {
    seen = peer.receive_until("\r\n\r\n");
    peer.send(kOk);
    peer.receive_all();
  });
  ClientRequest request = get(server);
  request.host = "example.com:8080";
  ASSERT_TRUE(client.send(request, soon()).ok());
  EXPECT_EQ(seen, "GET / HTTP/1.1\r\nhost: example.com:8080\r\n\r\n");
  for (const std::string_view host : {"a b", "a\r\nx: y", "a/b", "me@a"}) {
    request.host = host;
    EXPECT_TRUE(client.send(request, soon()).is(Reason::kBadRequest)) << host;
  }
}

TEST_F(ClientTest, KeepsThePromiseOfALength) {
  struct Case {
    std::string_view promised;
    std::vector<std::string> parts;
    std::string_view body;  // on the wire
    bool answered;
  };
  for (const Case& c :
       {Case{"5", {"he", "llo"}, "hello", true}, Case{"0", {}, "", true},
        Case{"", {"hello"}, "5\r\nhello\r\n0\r\n\r\n", true},
        // The next reader of the connection would misinterpret the rest.
        Case{"5", {"hell"}, "hell", false}, Case{"5", {"hel", "lo!"}, "hel", false}}) {
    SCOPED_TRACE(c.promised);
    std::promise<std::string> seen;
    ScriptedServer server([&](ScriptedPeer& peer, int) {
      peer.receive_until("\r\n\r\n");
      std::string body = peer.receive_exactly(c.body.size());
      if (!c.answered) body += peer.receive_all();
      seen.set_value(body);
      peer.send(kOk);
    });
    ClientRequest request = get(server);
    request.method = "POST";
    request.streams_body = true;
    if (!c.promised.empty()) request.headers.add("content-length", c.promised);
    const auto call = client.open(request);
    for (const std::string& part : c.parts) (void)call->write(Bytes(part), soon());
    call->finish_writing();
    EXPECT_EQ(call->head(soon()).ok(), c.answered);
    EXPECT_EQ(seen.get_future().get(), c.body);
  }
}

TEST_F(ClientTest, ServesManyThreads) {
  ScriptedServer server(serve_ok);
  std::atomic<int> good = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 8; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 50; ++i) good += client.send(get(server), soon()).ok() ? 1 : 0;
      });
    }
  }
  EXPECT_EQ(good, 400);
  EXPECT_LE(server.accepted(), 8 + 1);
}

}  // namespace client_test
}  // namespace proa::http
