#include "apiserver/streaming/streams/stream_choice.h"

#include <gtest/gtest.h>

#include <atomic>

#include "testkit/apiserver/connect_cluster.h"
#include "testkit/http/inbox.h"

namespace proa::apiserver {
namespace stream_choice_test {

using http::ExchangePtr;
using testkit::TestServer;
using namespace testkit::connect;

constexpr std::string_view kHandshake =
    "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";

std::string websocket(const std::string& part, const std::string& protocol) {
  return upgrade("GET", std::string(kPods) + "web/" + part,
                 std::string(kHandshake) + "Authorization: Basic c2VjcmV0\r\n" +
                     "Sec-WebSocket-Protocol: " + protocol + "\r\n");
}

TEST(ChooseStream, TranslatesWhatKubeletsDoNotKnow) {
  struct Case {
    std::string_view part;
    std::string_view upgrade;
    std::string_view protocols;
    std::string_view chosen;  // empty: forwarded as is
  };
  for (const Case& c :
       {Case{"exec", "websocket", "v5.channel.k8s.io", "v5.channel.k8s.io v4.channel.k8s.io"},
        Case{"attach", "websocket", "v4.channel.k8s.io, v5.channel.k8s.io",
             "v5.channel.k8s.io v4.channel.k8s.io"},
        Case{"exec", "websocket", "v4.channel.k8s.io", ""}, Case{"exec", "websocket", "", ""},
        Case{"exec", "SPDY/3.1", "v5.channel.k8s.io", ""},
        Case{"portforward", "websocket", "SPDY/3.1+portforward.k8s.io",
             "SPDY/3.1+portforward.k8s.io portforward.k8s.io"},
        Case{"portforward", "websocket", "v5.channel.k8s.io", ""},
        Case{"exec", "websocket", "SPDY/3.1+portforward.k8s.io", ""}}) {
    SCOPED_TRACE(std::string(c.part) + " " + std::string(c.protocols));
    Request request;
    request.resource = api::builtin_schema().find_resource("", "v1", "pods");
    request.subresource = request.resource->find_subresource(c.part);
    http::RequestHead head;
    head.method = "GET";
    head.headers = {{"connection", "Upgrade"}, {"upgrade", std::string(c.upgrade)}};
    if (!c.protocols.empty()) head.headers.add("sec-websocket-protocol", c.protocols);
    const StreamChoice choice =
        choose_stream(request, http::parse_target("/x?stdout=1").value(), head);
    EXPECT_EQ(choice.translator != nullptr, !c.chosen.empty());
    if (choice.translator == nullptr) continue;
    EXPECT_EQ(choice.client_protocol + " " + choice.node_protocol, c.chosen);
  }
}

TEST(TranslatedStreams, AskTheKubeletForSpdy) {
  testkit::Inbox<http::RequestHead> heads;
  TestServer kubelet([&](const ExchangePtr& exchange) {
    heads.put(exchange->request());
    exchange->respond({500, {{"content-type", "text/plain"}}, Bytes::of_static("no such"), {}});
  });
  Cluster cluster({.kubelets = kubelet_access()});
  cluster.put_node(kubelet);
  cluster.put_pod("web", "n1");
  const auto client = cluster.connect();
  client->send(websocket("exec?command=ls&stdin=1", "v5.channel.k8s.io"));
  // Its error response is passed on unchanged.
  const Response answer = client->receive_response();
  EXPECT_EQ(answer.status, 500);
  EXPECT_EQ(answer.body.view(), "no such");
  const auto seen = heads.take();
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->method, "POST");
  EXPECT_EQ(seen->target, "/exec/default/web/main?input=1&command=ls");
  EXPECT_EQ(seen->headers.get("upgrade"), "SPDY/3.1");
  EXPECT_EQ(seen->headers.get("x-stream-protocol-version"), "v4.channel.k8s.io");
  EXPECT_FALSE(seen->headers.has_prefix("sec-websocket"));
  EXPECT_FALSE(seen->headers.has("authorization"));
}

// The client cannot continue on a connection that we authenticated.
TEST(TranslatedStreams, LeaveNoConnectionToAKubeletThatDoesNotSwitch) {
  std::atomic<int> asked = 0;
  TestServer kubelet([&](const ExchangePtr& exchange) {
    ++asked;
    exchange->respond({302, {{"location", "/elsewhere"}}, {}, {}});
  });
  Cluster cluster({.kubelets = kubelet_access()});
  cluster.put_node(kubelet);
  cluster.put_pod("web", "n1");
  const auto client = cluster.connect();
  client->send(websocket("portforward?ports=80", "SPDY/3.1+portforward.k8s.io") +
               "GET /secrets HTTP/1.1\r\nHost: x\r\n\r\n");
  const Response answer = client->receive_response();
  EXPECT_EQ(answer.status, 500);
  EXPECT_EQ(message_of(answer), "invalid upgrade response: status code 302");
  EXPECT_TRUE(kubelet.wait_for_connections(0));
  EXPECT_EQ(asked, 1);
}

TEST(TranslatedStreams, NeedAProperHandshake) {
  std::atomic<int> asked = 0;
  TestServer kubelet([&](const ExchangePtr& exchange) {
    ++asked;
    exchange->respond({404, {}, {}, {}});
  });
  Cluster cluster({.kubelets = kubelet_access()});
  cluster.put_node(kubelet);
  cluster.put_pod("web", "n1");
  const auto client = cluster.connect();
  client->send(upgrade("GET", std::string(kPods) + "web/exec?command=ls",
                       "Upgrade: websocket\r\nSec-WebSocket-Protocol: v5.channel.k8s.io\r\n"));
  EXPECT_EQ(client->receive_response().status, 400);
  EXPECT_EQ(asked, 0);
}

TEST(TranslatedStreams, CarryACommandToItsEnd) {
  TestServer kubelet([&](const ExchangePtr& exchange) {
    exchange->upgrade(
        {{"upgrade", "SPDY/3.1"}, {"connection", "Upgrade"}},
        [](std::unique_ptr<http::Socket> socket, const std::string&) {
          using namespace std::string_literals;
          // Of stream 3, the output, and of stream 1, the status.
          socket->write(Bytes("\0\0\0\x03\x01\0\0\x02hi"s + "\0\0\0\x01\x01\0\0\x02{}"s));
          socket->flush();
          socket->shutdown();
          auto kept = std::make_shared<std::unique_ptr<http::Socket>>();
          http::Loop& loop = socket->loop();
          *kept = std::move(socket);
          loop.post([kept] {});
        });
  });
  Cluster cluster({.kubelets = kubelet_access()});
  cluster.put_node(kubelet);
  cluster.put_pod("web", "n1");
  const auto client = cluster.connect();
  client->send(websocket("exec?command=ls&stdout=1", "v5.channel.k8s.io"));
  const std::string head = client->receive_until("\r\n\r\n");
  EXPECT_TRUE(head.starts_with("HTTP/1.1 101 ")) << head;
  EXPECT_NE(head.find("sec-websocket-protocol: v5.channel.k8s.io\r\n"), std::string::npos) << head;
  using namespace std::string_literals;
  EXPECT_EQ(client->receive_exactly(3 + 5 + 5 + 4),
            "\x82\x01\x01"s + "\x82\x03\x01hi"s + "\x82\x03\x03{}"s + "\x88\x02\x03\xe8"s);
}

}  // namespace stream_choice_test
}  // namespace proa::apiserver
