#include <gtest/gtest.h>

#include "http/forward/forward.h"
#include "testkit/http/forwarding_server.h"
#include "testkit/http/inbox.h"
#include "testkit/http/raw_client.h"
#include "testkit/http/scripted_server.h"

namespace proa::http {
namespace forward_upgrade_test {

using Front = testkit::ForwardingServer;
using testkit::Inbox;
using testkit::RawClient;
using testkit::ScriptedPeer;
using testkit::ScriptedServer;

constexpr std::string_view kAskForSpdy =
    "POST /exec HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n";
constexpr std::string_view kSwitch =
    "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n"
    "X-Stream-Protocol-Version: v4\r\n\r\n";

TEST(ForwardUpgrade, CarriesBytesBothWaysAndBeginsWithTheEarlyOnes) {
  Inbox<std::string> heads;
  ScriptedServer backend([&](ScriptedPeer& peer, int) {
    heads.put(peer.receive_until("\r\n\r\n"));
    peer.send(std::string(kSwitch) + "early answer ");
    peer.send("<" + peer.receive_exactly(10) + ">");
    EXPECT_EQ(peer.receive_all(), "");
  });
  Front front(backend.origin());
  RawClient client(front.port());
  client.send(std::string(kAskForSpdy) + "early");
  const std::string head = client.receive_until("\r\n\r\n");
  EXPECT_TRUE(head.starts_with("HTTP/1.1 101 Switching Protocols\r\n")) << head;
  EXPECT_NE(head.find("upgrade: SPDY/3.1\r\n"), std::string::npos) << head;
  EXPECT_NE(head.find("x-stream-protocol-version: v4\r\n"), std::string::npos) << head;
  EXPECT_EQ(client.receive_exactly(13), "early answer ");
  client.send(" late");
  EXPECT_EQ(client.receive_exactly(12), "<early late>");
  client.end();
  EXPECT_EQ(client.receive_all(), "");
  const std::string asked = heads.take().value_or("");
  EXPECT_TRUE(asked.starts_with("POST /exec HTTP/1.1\r\nhost: a\r\n")) << asked;
  EXPECT_NE(asked.find("connection: Upgrade\r\n"), std::string::npos) << asked;
  EXPECT_EQ(front.answered.take(), 101);
  EXPECT_TRUE(front.forgot_all());
}

TEST(ForwardUpgrade, LeavesNoConnectionToAServerThatDoesNotSwitch) {
  struct Case {
    std::string_view answer;
    int status;
    std::string_view body;
  };
  for (const Case& c :
       {Case{"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", 500,
             "invalid upgrade response: status code 200"},
        Case{"HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n", 500,
             "invalid upgrade response: status code 302"},
        Case{"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n", 500,
             "invalid upgrade response: status code 101"},
        Case{"HTTP/1.1 403 Forbidden\r\nContent-Length: 3\r\n\r\nno!", 403, "no!"},
        Case{"HTTP/1.1 500 Internal Server Error\r\n\r\nuntil the end", 500, "until the end"}}) {
    SCOPED_TRACE(c.answer);
    Inbox<std::string> behind;
    ScriptedServer backend([&](ScriptedPeer& peer, int) {
      peer.receive_until("\r\n\r\n");
      peer.send(c.answer);
      if (c.answer.ends_with("end")) peer.shutdown();
      behind.put(peer.receive_all());
    });
    Front front(backend.origin());
    RawClient client(front.port());
    // A second request, which must not be forwarded as part of the first.
    client.send(std::string(kAskForSpdy) + "GET /smuggled HTTP/1.1\r\nHost: a\r\n");
    const Response answer = client.receive_response();
    EXPECT_EQ(answer.status, c.status);
    EXPECT_EQ(answer.body.view(), c.body);
    client.send("X-More: 1\r\n");
    EXPECT_EQ(behind.take(), "");
    EXPECT_EQ(backend.accepted(), 1);
    EXPECT_EQ(front.answered.take(), c.status);
    EXPECT_EQ(front.connections(), 0U);
  }
}

TEST(ForwardUpgrade, SaysWhenTheOtherServerCantBeAsked) {
  ScriptedServer gone([](ScriptedPeer& peer, int) { peer.receive_until("\r\n\r\n"); });
  Front front(gone.origin());
  RawClient client(front.port());
  client.send(kAskForSpdy);
  const Response answer = client.receive_response();
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.headers.get("x-failed"), "yes");
  ForwardOptions hurried;
  hurried.upgrade_timeout = std::chrono::milliseconds(20);
  ScriptedServer silent([](ScriptedPeer& peer, int) { peer.receive_all(); });
  Front other(silent.origin(), hurried);
  RawClient waiting(other.port());
  waiting.send(kAskForSpdy);
  EXPECT_EQ(waiting.receive_response().status, 504);
}

TEST(ForwardUpgrade, TellsOfAnEndThatCameWithTheSwitch) {
  ScriptedServer backend([](ScriptedPeer& peer, int) {
    peer.receive_until("\r\n\r\n");
    peer.send(std::string(kSwitch) + "last words");
  });
  Front front(backend.origin());
  RawClient client(front.port());
  client.send(kAskForSpdy);
  client.receive_until("\r\n\r\n");
  EXPECT_EQ(client.receive_all(), "last words");
}

TEST(ForwardUpgrade, TellsOfAClientThatEndedBeforeTheSwitch) {
  Inbox<bool> ended;
  Inbox<std::string> received;
  ScriptedServer backend([&](ScriptedPeer& peer, int) {
    peer.receive_until("\r\n\r\n");
    ended.take();
    peer.send(kSwitch);
    received.put(peer.receive_all());
    peer.send("answer");
  });
  Front front(backend.origin());
  RawClient client(front.port());
  client.send(std::string(kAskForSpdy) + "early");
  client.end();
  for (int i = 0; i < 10; ++i) front.loop().run_and_wait([] {});
  ended.put(true);
  client.receive_until("\r\n\r\n");
  EXPECT_EQ(received.take(), "early");
  EXPECT_EQ(client.receive_all(), "answer");
}

TEST(ForwardUpgrade, EndsWithWhoeverCarriesIt) {
  Inbox<std::string> received;
  ScriptedServer backend([&](ScriptedPeer& peer, int) {
    peer.receive_until("\r\n\r\n");
    peer.send(kSwitch);
    received.put(peer.receive_all());
  });
  auto front = std::make_unique<Front>(backend.origin());
  RawClient client(front->port());
  client.send(std::string(kAskForSpdy) + "early");
  client.receive_until("\r\n\r\n");
  front.reset();
  EXPECT_EQ(client.receive_all(), "");
  EXPECT_EQ(received.take(), "early");
}

TEST(ForwardUpgrade, ForgetsAClientThatIsGone) {
  Inbox<bool> asked;
  Inbox<bool> left;
  Inbox<std::string> received;
  ScriptedServer backend([&](ScriptedPeer& peer, int) {
    peer.receive_until("\r\n\r\n");
    asked.put(true);
    left.take();
    peer.send(kSwitch);
    received.put(peer.receive_all());
  });
  Front front(backend.origin());
  {
    RawClient client(front.port());
    client.send(kAskForSpdy);
    ASSERT_TRUE(asked.take());
    client.reset();
  }
  for (int i = 0; i < 10; ++i) front.loop().run_and_wait([] {});
  left.put(true);
  EXPECT_EQ(received.take(), "");
  EXPECT_TRUE(front.forgot_all());
}

}  // namespace forward_upgrade_test
}  // namespace proa::http
