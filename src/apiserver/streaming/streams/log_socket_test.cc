#include "apiserver/streaming/streams/log_socket.h"

#include <gtest/gtest.h>

#include "testkit/apiserver/connect_cluster.h"
#include "testkit/http/inbox.h"

namespace proa::apiserver {
namespace {

using http::ExchangePtr;
using testkit::Inbox;
using testkit::RawClient;
using testkit::TestServer;
using namespace testkit::connect;
using namespace std::string_literals;

std::string log_request(const std::string& protocol) {
  return upgrade("GET", std::string(kPods) + "web/log?follow=true",
                 "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                 "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" +
                     (protocol.empty() ? "" : "Sec-WebSocket-Protocol: " + protocol + "\r\n"));
}

// A short message of a server.
std::string frame(char kind, const std::string& text) {
  return std::string(1, static_cast<char>(0x80 | kind)) + static_cast<char>(text.size()) + text;
}
constexpr char kText = 1;
constexpr char kBinary = 2;
const std::string kClosed = frame(8, "\x03\xe8"s);

struct LogCluster {
  explicit LogCluster(std::function<void(ExchangePtr)> answer) : kubelet(std::move(answer)) {
    cluster.put_node(kubelet);
    cluster.put_pod("web", "n1");
  }
  TestServer kubelet;
  Cluster cluster{{.kubelets = kubelet_access()}};
};

TEST(LogSocket, SendsWhatTheKubeletSays) {
  struct Case {
    std::string protocol;
    char kind;
    std::string first;
    std::string second;
  };
  for (const Case& c : {Case{"", kBinary, "first\n", "second\n"},
                        Case{"binary.k8s.io", kBinary, "first\n", "second\n"},
                        Case{"x, base64.binary.k8s.io", kText, "Zmlyc3QK", "c2Vjb25kCg=="}}) {
    Inbox<ExchangePtr> asked;
    LogCluster logs([&](const ExchangePtr& exchange) {
      exchange->start({200, {}});
      exchange->write(Bytes::of_static("first\n"));
      asked.put(exchange);
    });
    const auto client = logs.cluster.connect();
    client->send(log_request(c.protocol));
    const std::string head = client->receive_until("\r\n\r\n");
    EXPECT_TRUE(head.starts_with("HTTP/1.1 101 ")) << head;
    EXPECT_EQ(head.find("sec-websocket-protocol") != std::string::npos, !c.protocol.empty());
    const auto exchange = asked.take();
    ASSERT_TRUE(exchange);
    EXPECT_EQ((*exchange)->request().target, "/containerLogs/default/web/main?follow=true");
    EXPECT_FALSE((*exchange)->request().headers.has("upgrade"));
    const std::string begin = frame(c.kind, "") + frame(c.kind, c.first);
    EXPECT_EQ(client->receive_until(begin), begin);
    // What the client says does not matter: "hi", masked with zeros.
    client->send("\x81\x82\0\0\0\0hi"s);
    (*exchange)->write(Bytes::of_static("second\n"));
    (*exchange)->finish();
    const std::string end = frame(c.kind, c.second) + kClosed;
    EXPECT_EQ(client->receive_until(end), end);
  }
}

TEST(LogSocket, CutsLongText) {
  LogCluster logs([](const ExchangePtr& exchange) {
    exchange->respond({200, {}, Bytes(std::string(5000, 'x')), {}});
  });
  const auto client = logs.cluster.connect();
  client->send(log_request("binary.k8s.io"));
  client->receive_until("\r\n\r\n");
  const auto part = [](size_t size) {
    return "\x82\x7e"s + static_cast<char>(size >> 8) + static_cast<char>(size & 0xff) +
           std::string(size, 'x');
  };
  std::string all = client->receive_until(kClosed);
  EXPECT_TRUE(all.starts_with(frame(kBinary, "")));
  EXPECT_TRUE(all.substr(2).starts_with(part(2048)));
  size_t letters = 0;
  for (const char c : all) letters += c == 'x' ? 1 : 0;
  EXPECT_EQ(letters, 5000u);
}

TEST(LogSocket, RefusesInPlainHttp) {
  LogCluster logs([](const ExchangePtr& exchange) {
    exchange->respond({400, {}, Bytes::of_static("container \"main\" is waiting to start"), {}});
  });
  auto client = logs.cluster.connect();
  client->send(log_request("binary.k8s.io"));
  auto answer = client->receive_response();
  EXPECT_EQ(answer.status, 400);
  EXPECT_EQ(message_of(answer), "container \"main\" is waiting to start");
  client = logs.cluster.connect();
  client->send(log_request("v4.channel.k8s.io"));
  answer = client->receive_response();
  EXPECT_EQ(answer.status, 400);
  logs.cluster.put_node(testkit::own_address(), 1);
  client = logs.cluster.connect();
  client->send(log_request(""));
  EXPECT_EQ(client->receive_response().status, 500);
}

TEST(LogSocket, EndsTheKubeletsWorkWithTheClient) {
  Inbox<bool> gone;
  LogCluster logs([&](const ExchangePtr& exchange) {
    exchange->on_closed([&] { gone.put(true); });
    exchange->start({200, {}});
    exchange->write(Bytes::of_static("first\n"));
  });
  {
    const auto client = logs.cluster.connect();
    client->send(log_request("binary.k8s.io"));
    client->receive_until("first\n");
  }
  EXPECT_TRUE(gone.take());
}

TEST(LogSocket, EndsWithTheServer) {
  std::unique_ptr<RawClient> client;
  {
    LogCluster logs([&](const ExchangePtr& exchange) {
      exchange->start({200, {}});
      exchange->write(Bytes::of_static("first\n"));
    });
    client = logs.cluster.connect();
    client->send(log_request("binary.k8s.io"));
    client->receive_until("first\n");
  }
  EXPECT_EQ(client->receive_all(), kClosed) << "nothing but the end";
}

}  // namespace
}  // namespace proa::apiserver
