#include "apiserver/streaming/pod_tunnel.h"

#include <gtest/gtest.h>

#include "http/net/splice.h"
#include "testkit/apiserver/connect_cluster.h"
#include "testkit/http/inbox.h"

namespace proa::apiserver {
namespace pod_tunnel_test {

using http::ExchangePtr;
using http::Response;
using testkit::own_address;
using testkit::TestServer;
using namespace testkit::connect;

KubeletAccess through_nodes() {
  KubeletAccess access = kubelet_access();
  access.egress = PodEgress::kNodes;
  return access;
}

// An address that nobody has (RFC 5737): only a tunnel leads there.
constexpr const char* kPodAddress = "192.0.2.7";

// A kubelet whose tunnels all lead to a server of the test's.
class TunnelKubelet {
 public:
  explicit TunnelKubelet(const http::Endpoint& pod) : pod_(pod) {}

  void handle(const ExchangePtr& exchange) {
    asked.put(exchange->request().method + " " + exchange->request().target);
    exchange->upgrade({{"upgrade", "tcp"}},
                      [this](std::unique_ptr<http::Socket> near, const std::string& early) {
                        connect(std::move(near), early);
                      });
  }

  testkit::Inbox<std::string> asked;

 private:
  void connect(std::unique_ptr<http::Socket> near, const std::string& early) {
    struct Both {
      std::unique_ptr<http::Socket> near;
      std::shared_ptr<http::Connector> connector;
    };
    http::Loop& loop = near->loop();
    auto both = std::make_shared<Both>(Both{.near = std::move(near), .connector = nullptr});
    http::Origin origin;
    origin.host = pod_.address;
    origin.port = pod_.port;
    both->connector = http::Connector::start(
        loop, origin, {}, [both, early](Result<std::unique_ptr<http::Socket>> far) {
          ASSERT_TRUE(far.ok()) << far.status().message();
          http::splice(std::move(both->near), early, std::move(*far), {}, [] {});
          both->connector.reset();
        });
  }

  const http::Endpoint pod_;
};

TEST(PodTunnel, IsWrittenAndRead) {
  PodTunnel tunnel{.target = "/tunnel/ns/web/80"};
  tunnel.kubelet.tls = true;
  tunnel.kubelet.host = "fd00::1";
  tunnel.kubelet.port = 10250;
  tunnel.kubelet.peer = "n1 uid pin";
  const auto read = PodTunnel::parse(tunnel.str());
  ASSERT_TRUE(read);
  EXPECT_EQ(read->kubelet, tunnel.kubelet);
  EXPECT_EQ(read->target, tunnel.target);
  for (const char* text : {"", "a", "a\nb", "a\nb\nc\nd", "a\n1\nc"}) {
    EXPECT_FALSE(PodTunnel::parse(text)) << text;
  }
}

TEST(PodTunnel, CarriesPlainRequestsAndTls) {
  for (const bool tls : {false, true}) {
    SCOPED_TRACE(tls);
    TestServer pod(testkit::echo, tls);
    TunnelKubelet tunnels(pod.endpoint());
    TestServer kubelet([&](const ExchangePtr& exchange) { tunnels.handle(exchange); });
    Cluster cluster({.kubelets = through_nodes()});
    cluster.put_node(kubelet);
    cluster.put_pod("web", "n1", kPodAddress);
    const std::string proxy =
        std::string(kPods) + (tls ? "https:web:8080" : "web:8080") + "/proxy/hello";
    for (int i = 0; i < 3; ++i) {
      const Response answer = cluster.ask("GET", proxy);
      EXPECT_EQ(answer.status, 200);
      EXPECT_EQ(answer.body.view(), "hello");
    }
    EXPECT_EQ(tunnels.asked.take(), "POST /tunnel/default/web/8080");
  }
}

TEST(PodTunnel, IsNotNeededWhereThereIsARoute) {
  if (own_address() == "127.0.0.1") GTEST_SKIP() << "pods are not at loopback addresses";
  // Upstream's kubelets have no tunnels.
  TestServer kubelet([](const ExchangePtr& exchange) { exchange->respond({404, {}, {}, {}}); });
  TestServer pod(testkit::echo, false);
  const int port = pod.listen_at(own_address());
  Cluster cluster({.kubelets = through_nodes()});
  cluster.put_node(kubelet);
  cluster.put_pod("web", "n1", own_address());
  const Response answer =
      cluster.ask("GET", std::string(kPods) + "web:" + std::to_string(port) + "/proxy/hello");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body.view(), "hello");
}

TEST(PodTunnel, SaysWhyItDidNotOpen) {
  TestServer kubelet([](const ExchangePtr& exchange) {
    exchange->respond({503, {}, Bytes::of_static("connection refused"), {}});
  });
  Cluster cluster({.kubelets = through_nodes()});
  cluster.put_node(kubelet);
  cluster.put_pod("web", "n1", kPodAddress);
  const Response answer = cluster.ask("GET", std::string(kPods) + "web:80/proxy/");
  EXPECT_EQ(answer.status, 503);
  EXPECT_NE(message_of(answer).find("connection refused"), std::string::npos) << message_of(answer);
}

}  // namespace pod_tunnel_test
}  // namespace proa::apiserver
