#include "apiserver/streaming/connections.h"

#include <gtest/gtest.h>

#include <atomic>

#include "api/schema/builtin.h"
#include "apiserver/server.h"
#include "crypto/certificate.h"
#include "http/net/endpoint.h"
#include "json/parse.h"
#include "store/memory/memory_store.h"
#include "testkit/apiserver/connect_cluster.h"
#include "testkit/apiserver/test_webhook.h"
#include "testkit/http/echo_socket.h"
#include "testkit/http/inbox.h"
#include "testkit/http/raw_client.h"
#include "testkit/http/scripted_server.h"
#include "testkit/http/test_server.h"
#include "testkit/patience.h"

namespace proa::apiserver {
namespace connections_test {

using http::ExchangePtr;
using http::Headers;
using http::Response;
using testkit::Inbox;
using testkit::own_address;
using testkit::RawClient;
using testkit::TestServer;
using namespace testkit::connect;

// Proxies refuse loopback addresses: pods of these tests need another one of this machine. A macro,
// since it ends the test.
#define SKIP_WITHOUT_NETWORK() \
  if (own_address() == "127.0.0.1") GTEST_SKIP() << "there is no network but loopback"

// A plain HTTP server at an address that is not a loopback one.
struct PodServer {
  explicit PodServer(std::function<void(ExchangePtr)> handle) : handler(std::move(handle)) {
    port = server.listen({.address = own_address(), .port = 0})->port;
  }
  testkit::FunctionHandler handler;
  http::LoopGroup loops{1};
  http::Server server{loops, handler};
  int port = 0;
};

TEST(Connections, BringLogsAsTheyCome) {
  Inbox<ExchangePtr> asked;
  TestServer kubelet([&](const ExchangePtr& exchange) {
    exchange->start({200, {{"content-type", "text/html"}, {"x-node", "secret"}}});
    exchange->write(Bytes::of_static("first\n"));
    asked.put(exchange);
  });
  Cluster cluster({.kubelets = kubelet_access()});
  cluster.put_node(kubelet);
  cluster.put_pod("web", "n1");
  const auto client = cluster.connect();
  client->send("GET " + std::string(kPods) +
               "web/log?follow=true HTTP/1.1\r\nHost: a\r\nCookie: mine\r\n\r\n");
  const auto exchange = asked.take();
  ASSERT_TRUE(exchange);
  EXPECT_EQ((*exchange)->request().target, "/containerLogs/default/web/main?follow=true");
  EXPECT_FALSE((*exchange)->request().headers.has("cookie"));
  EXPECT_FALSE((*exchange)->peer().certificates.chain_der.empty());
  const std::string head = client->receive_until("\r\n\r\n");
  EXPECT_NE(head.find("content-type: text/plain\r\n"), std::string::npos) << head;
  EXPECT_NE(head.find("cache-control: no-cache, private\r\n"), std::string::npos) << head;
  EXPECT_EQ(head.find("x-node"), std::string::npos) << head;
  EXPECT_EQ(client->receive_until("first\n\r\n"), "6\r\nfirst\n\r\n");
  (*exchange)->write(Bytes::of_static("second\n"));
  (*exchange)->finish();
  EXPECT_EQ(client->receive_until("0\r\n\r\n"), "7\r\nsecond\n\r\n0\r\n\r\n");
}

TEST(Connections, SayWhyThereIsNoLog) {
  std::atomic<int> asked = 0;
  TestServer kubelet([&](const ExchangePtr& exchange) {
    ++asked;
    const bool moves = exchange->request().target.ends_with("previous=true");
    if (moves) return exchange->respond({302, {{"location", "/secrets"}}, {}, {}});
    exchange->respond({400, {}, Bytes::of_static("container \"main\" is waiting to start"), {}});
  });
  Cluster cluster({.kubelets = kubelet_access()});
  cluster.put_node(kubelet);
  cluster.put_pod("web", "n1");
  cluster.put_pod("waiting", "");
  const std::string web = std::string(kPods) + "web/log";
  Response answer = cluster.ask("GET", web);
  EXPECT_EQ(answer.status, 400);
  EXPECT_EQ(message_of(answer), "container \"main\" is waiting to start");
  answer = cluster.ask("GET", web + "?previous=true");
  EXPECT_EQ(answer.status, 500);
  EXPECT_NE(message_of(answer).find("redirects forbidden"), std::string::npos);
  EXPECT_EQ(asked, 2);
  EXPECT_EQ(cluster.ask("GET", std::string(kPods) + "waiting/log").status, 204);
  EXPECT_EQ(cluster.ask("GET", std::string(kPods) + "none/log").status, 404);
  EXPECT_EQ(cluster.ask("GET", web + "?tailLines=-1").status, 422);
  cluster.put_node(own_address(), 1);
  answer = cluster.ask("GET", web);
  EXPECT_EQ(answer.status, 500);
  EXPECT_TRUE(message_of(answer).starts_with("Get \"https://" + own_address() +
                                             ":1/containerLogs/default/web/main\": "))
      << message_of(answer);
}

TEST(Connections, TrustNoKubeletThatTheAuthorityDoesNotVouchFor) {
  TestServer kubelet([](const ExchangePtr& exchange) {
    exchange->respond({200, {}, Bytes::of_static("log"), {}});
  });
  KubeletAccess access = kubelet_access();
  access.authority_pem = TestCertificates::get().authority.certificate_pem;
  Cluster cluster({.kubelets = access});
  cluster.put_node(kubelet);
  cluster.put_pod("web", "n1");
  const std::string web = std::string(kPods) + "web/log";
  EXPECT_EQ(cluster.ask("GET", web).status, 500);
  EXPECT_EQ(cluster.ask("GET", web + "?insecureSkipTLSVerifyBackend=true").body.view(), "log");
  const auto client = cluster.connect();
  client->send(upgrade("POST", std::string(kPods) + "web/exec?command=ls"));
  const Response answer = client->receive_response();
  EXPECT_EQ(answer.status, 500);
  EXPECT_TRUE(message_of(answer).starts_with("error dialing backend: ")) << message_of(answer);
}

// A kubelet with a self-signed certificate, upstream's default, is recognized by it.
TEST(Connections, PinTheCertificateOfAForeignKubelet) {
  TestServer kubelet([](const ExchangePtr& exchange) {
    exchange->respond({200, {}, Bytes::of_static("log"), {}});
  });
  KubeletAccess access = kubelet_access();
  access.authority_pem = TestCertificates::get().authority.certificate_pem;
  access.tls = KubeletTls::kPin;
  Cluster cluster({.kubelets = access});
  cluster.put_node(kubelet);
  cluster.put_pod("web", "n1");
  const std::string web = std::string(kPods) + "web/";
  EXPECT_EQ(cluster.ask("GET", web + "log").body.view(), "log");
  const auto pin = [&] {
    const Response node = cluster.ask("GET", "/api/v1/nodes/n1");
    return std::string(
        api::View(json::parse(node.body.view())->root())["metadata"]["annotations"][kKubeletPin]
            .text());
  };
  EXPECT_TRUE(testkit::holds_within(std::chrono::seconds(10),
                                    [&] { return pin().starts_with("sha256:"); }));
  EXPECT_EQ(cluster.ask("GET", web + "log").body.view(), "log");
  // Another server answers at the Node's address.
  const crypto::CertifiedKey other = make_test_authority();
  kubelet.tls().set(http::TlsContext::server({.certificate_pem = other.certificate_pem,
                                              .private_key_pem = other.private_key_pem})
                        .value());
  const auto client = cluster.connect();
  client->send(upgrade("POST", web + "exec?command=ls"));
  const Response answer = client->receive_response();
  EXPECT_EQ(answer.status, 500);
  EXPECT_NE(message_of(answer).find("its certificate changed from sha256:"), std::string::npos)
      << message_of(answer);
}

TEST(Connections, LeadIntoContainers) {
  Inbox<http::RequestHead> heads;
  TestServer kubelet([&](const ExchangePtr& exchange) {
    heads.put(exchange->request());
    testkit::EchoSocket::serve(exchange);
  });
  Cluster cluster({.kubelets = kubelet_access()});
  cluster.put_node(kubelet);
  cluster.put_pod("web", "n1");
  struct Case {
    std::string_view method;
    std::string_view part;
    std::string_view protocol;
    std::string_view target;
  };
  for (const Case& c :
       {Case{"POST", "exec?command=ls&stdout=1", "SPDY/3.1",
             "/exec/default/web/main?output=1&command=ls"},
        Case{"GET", "exec?command=ls&stdin=1", "websocket",
             "/exec/default/web/main?input=1&command=ls"},
        Case{"POST", "attach?stdout=true", "SPDY/3.1", "/attach/default/web/main?output=1"},
        Case{"GET", "portforward?ports=80", "websocket", "/portForward/default/web?port=80"}}) {
    SCOPED_TRACE(c.part);
    const auto client = cluster.connect();
    client->send(upgrade(c.method, std::string(kPods) + "web/" + std::string(c.part),
                         "Upgrade: " + std::string(c.protocol) +
                             "\r\nAuthorization: Basic c2VjcmV0\r\nX-Remote-User: root\r\n"
                             "Sec-WebSocket-Protocol: v4.channel.k8s.io\r\n"));
    const std::string head = client->receive_until("\r\n\r\n");
    EXPECT_TRUE(head.starts_with("HTTP/1.1 101 ")) << head;
    client->send("ping");
    EXPECT_EQ(client->receive_exactly(6), "<ping>");
    const auto seen = heads.take();
    ASSERT_TRUE(seen);
    EXPECT_EQ(seen->method, c.method);
    EXPECT_EQ(seen->target, c.target);
    EXPECT_EQ(seen->authority, "api:6443");
    EXPECT_FALSE(seen->headers.has("authorization"));
    EXPECT_FALSE(seen->headers.has("x-remote-user"));
    EXPECT_EQ(seen->headers.get("sec-websocket-protocol"), "v4.channel.k8s.io");
    EXPECT_EQ(seen->headers.get("x-forwarded-for"), "127.0.0.1");
  }
}

TEST(Connections, NeedAnUpgradeToLeadIntoContainers) {
  std::atomic<int> asked = 0;
  TestServer kubelet([&](const ExchangePtr& exchange) {
    ++asked;
    exchange->respond({404, {}, Bytes::of_static("pod does not exist"), {}});
  });
  Cluster cluster({.kubelets = kubelet_access()});
  cluster.put_node(kubelet);
  cluster.put_pod("web", "n1");
  const std::string exec = std::string(kPods) + "web/exec?command=ls";
  Response answer = cluster.ask("POST", exec, "Content-Length: 0\r\n\r\n");
  EXPECT_EQ(answer.status, 400);
  EXPECT_EQ(message_of(answer), "Upgrade request required");
  EXPECT_EQ(
      cluster.ask("POST", exec, "Connection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 0\r\n\r\n")
          .status,
      400);
  answer = cluster.ask("POST", exec + "&dryRun=All", "Content-Length: 0\r\n\r\n");
  EXPECT_EQ(message_of(answer), "dryRun is not supported");
  EXPECT_EQ(cluster.ask("PUT", exec, "Content-Length: 0\r\n\r\n").status, 405);
  EXPECT_EQ(asked, 0);
  // A kubelet's error response is passed on unchanged.
  const auto client = cluster.connect();
  client->send(upgrade("POST", exec));
  answer = client->receive_response();
  EXPECT_EQ(answer.status, 404);
  EXPECT_EQ(answer.body.view(), "pod does not exist");
}

TEST(Connections, NeedTheRightToCreateWhateverTheMethod) {
  TestServer kubelet(testkit::EchoSocket::serve);
  std::atomic<bool> allows_create = false;
  TestWebhook hook([&](const TestWebhook::Asked& asked) {
    const bool creates = asked.body.find(R"("verb":"create")") != std::string::npos;
    return TestWebhook::json(
        std::string(R"({"apiVersion":"authorization.k8s.io/v1","kind":"SubjectAccessReview",)") +
        R"("status":{"allowed":)" + (!creates || allows_create ? "true}}" : "false}}"));
  });
  WebhookAuthorizerOptions webhook{.connection = hook.connection("/authorize")};
  webhook.keep_refused = Duration(0);
  Cluster cluster(
      {.kubelets = kubelet_access(), .authorization = {.modes = {"Webhook"}, .webhook = webhook}});
  cluster.put_node(kubelet);
  cluster.put_pod("web", "n1");
  const crypto::CertifiedKey jane = cluster.certificate("jane", "people");
  const std::string exec =
      upgrade("GET", std::string(kPods) + "web/exec?command=ls", "Upgrade: websocket\r\n");
  auto client = cluster.connect(jane);
  client->send(exec);
  const Response answer = client->receive_response();
  EXPECT_EQ(answer.status, 403);
  EXPECT_NE(message_of(answer).find("cannot create resource \"pods/exec\""), std::string::npos)
      << message_of(answer);
  // Nor whether the pod exists.
  client = cluster.connect(jane);
  client->send(
      upgrade("GET", std::string(kPods) + "none/exec?command=ls", "Upgrade: websocket\r\n"));
  EXPECT_EQ(client->receive_response().status, 403);
  // The kubelet's path cannot be escaped.
  client = cluster.connect(jane);
  client->send(upgrade("GET", "/api/v1/nodes/n1/proxy/exec/default/web/main?command=ls",
                       "Upgrade: websocket\r\n"));
  const Response around = client->receive_response();
  EXPECT_EQ(around.status, 403);
  EXPECT_NE(message_of(around).find("cannot create resource \"nodes/proxy\""), std::string::npos)
      << message_of(around);
  allows_create = true;
  client = cluster.connect(jane);
  client->send(exec);
  const std::string head = client->receive_until("\r\n\r\n");
  EXPECT_TRUE(head.starts_with("HTTP/1.1 101 ")) << head;
}

TEST(Connections, LeadToNothingOnThisMachineItself) {
  Cluster cluster;
  cluster.put_node("127.0.0.1", 10250);
  cluster.put_pod("web", "n1", "127.0.0.1");
  for (const std::string target :
       {"/api/v1/nodes/n1/proxy/metrics", "/api/v1/namespaces/default/pods/web:80/proxy/",
        "/api/v1/namespaces/default/pods/web/log"}) {
    const Response answer = cluster.ask("GET", target);
    EXPECT_EQ(answer.status, 400);
    EXPECT_EQ(message_of(answer), "address not allowed");
  }
  for (const std::string part : {"exec?command=ls", "attach", "portforward?ports=80"}) {
    const auto client = cluster.connect();
    client->send(upgrade("POST", std::string(kPods) + "web/" + part));
    const Response answer = client->receive_response();
    EXPECT_EQ(answer.status, 400) << part;
    EXPECT_EQ(message_of(answer), "address not allowed") << part;
  }
}

// A Node whose address is the API server's own: the server's client certificate for kubelets has no
// rights there, so nodes/proxy of one node does not lead to the others.
TEST(Connections, ToThisServerItselfHaveNoRights) {
  ClusterOptions options;
  options.authority = make_test_authority();
  const crypto::CertifiedKey own =
      issue_client(*options.authority, "kube-apiserver-kubelet-client", "proa:kubelet-clients");
  options.kubelets = {.certificate_pem = own.certificate_pem, .key_pem = own.private_key_pem};
  Cluster cluster(options);
  cluster.put_node(own_address(), cluster.listen_at(own_address()));
  cluster.put_pod("web", "n1");
  EXPECT_EQ(cluster.ask("GET", "/api/v1/nodes/n1/proxy/api/v1/nodes").status, 401);
  EXPECT_EQ(cluster.ask("GET", "/api/v1/nodes/n1/proxy/api/v1/nodes/n1/proxy/pods").status, 401);
  const auto client = cluster.connect(own);
  client->send("GET /api/v1/nodes HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(client->receive_response().status, 401);
}

TEST(Connections, ProxyToPods) {
  SKIP_WITHOUT_NETWORK();
  Inbox<http::RequestHead> heads;
  PodServer pod([&](const ExchangePtr& exchange) {
    heads.put(exchange->request());
    if (exchange->request().target == "/moved") {
      return exchange->respond(
          {302, {{"location", "/login"}, {"access-control-allow-origin", "*"}}, {}, {}});
    }
    testkit::echo(exchange);
  });
  Cluster cluster;
  cluster.put_pod("web", "", own_address());
  const std::string proxy = std::string(kPods) + "web:" + std::to_string(pod.port) + "/proxy";

  Response answer = cluster.ask("GET", proxy + "/a%20b?watch=true&limit=many",
                                "Authorization: Basic c2VjcmV0\r\nCookie: mine\r\n\r\n");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body.view(), "hello");
  EXPECT_EQ(answer.headers.get("cache-control"), "no-cache, private");
  auto seen = heads.take();
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->target, "/a%20b?watch=true&limit=many");
  EXPECT_EQ(seen->authority, "api:6443");
  EXPECT_FALSE(seen->headers.has("authorization"));
  EXPECT_EQ(seen->headers.get("cookie"), "mine");
  EXPECT_EQ(seen->headers.get("x-forwarded-uri"), proxy + "/a%20b");
  EXPECT_EQ(seen->headers.get("x-forwarded-for"), "127.0.0.1");

  for (const std::string_view method : {"POST", "PUT", "PATCH", "DELETE"}) {
    answer = cluster.ask(method, proxy + "/x", "Content-Length: 4\r\n\r\nbody");
    EXPECT_EQ(answer.body.view(), "body") << method;
    seen = heads.take();
    EXPECT_EQ(seen->method, method);
    EXPECT_EQ(seen->headers.get("content-length"), "4");
  }
  EXPECT_EQ(cluster.ask("HEAD", proxy + "/x").headers.get("content-length"), "5");

  answer = cluster.ask("GET", proxy + "/moved");
  EXPECT_EQ(answer.status, 302);
  EXPECT_EQ(answer.headers.get("location"), proxy + "/login");
  EXPECT_FALSE(answer.headers.has("access-control-allow-origin"));
}

TEST(Connections, PassOptionsToPods) {
  SKIP_WITHOUT_NETWORK();
  PodServer pod([&](const ExchangePtr& exchange) {
    exchange->respond({200, {{"allow", "GET, OPTIONS"}}, Bytes(exchange->request().method), {}});
  });
  Cluster cluster;
  cluster.put_pod("web", "", own_address());
  const std::string web = std::string(kPods) + "web:" + std::to_string(pod.port);
  const Response answer = cluster.ask("OPTIONS", web + "/proxy/x");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.headers.get("allow"), "GET, OPTIONS");
  EXPECT_EQ(answer.body.view(), "OPTIONS");
  EXPECT_EQ(cluster.ask("OPTIONS", web + "/log").status, 405);
  EXPECT_EQ(cluster.ask("OPTIONS", std::string(kPods) + "web").status, 405);
  EXPECT_EQ(cluster.ask("BREW", web + "/proxy/x").status, 405);
}

TEST(Connections, LeadLinksThroughTheProxy) {
  SKIP_WITHOUT_NETWORK();
  PodServer pod([&](const ExchangePtr& exchange) {
    const std::string page = R"(<a href="/rewriteme">test</a><img src=a.png>)";
    Headers headers = {{"content-type", "text/html; charset=utf-8"},
                       {"content-length", std::to_string(page.size())}};
    if (exchange->request().target == "/text") headers.set("content-type", "text/plain");
    if (exchange->request().target == "/packed") headers.set("content-encoding", "br");
    exchange->start({200, std::move(headers)});
    exchange->write(Bytes::copy_of(page.substr(0, 15)));
    exchange->write(Bytes::copy_of(page.substr(15)));
    exchange->finish();
  });
  Cluster cluster;
  cluster.put_pod("web", "", own_address());
  const std::string proxy = std::string(kPods) + "web:" + std::to_string(pod.port) + "/proxy";
  EXPECT_EQ(cluster.ask("GET", proxy + "/page").body.view(),
            "<a href=\"" + proxy + "/rewriteme\">test</a><img src=a.png>");
  EXPECT_EQ(cluster.ask("HEAD", proxy + "/page").status, 200);
  for (const char* path : {"/text", "/packed"}) {
    EXPECT_EQ(cluster.ask("GET", proxy + path).body.view(),
              R"(<a href="/rewriteme">test</a><img src=a.png>)");
  }
}

TEST(Connections, SendThoseBackWhoForgotTheSlash) {
  SKIP_WITHOUT_NETWORK();
  std::atomic<int> asked = 0;
  PodServer pod([&](const ExchangePtr& exchange) {
    ++asked;
    testkit::echo(exchange);
  });
  Cluster cluster;
  cluster.put_pod("web", "", own_address());
  const std::string proxy = std::string(kPods) + "web:" + std::to_string(pod.port) + "/proxy";
  for (const std::string_view method : {"GET", "HEAD"}) {
    const Response answer = cluster.ask(method, proxy + "?x=1");
    EXPECT_EQ(answer.status, 301);
    EXPECT_EQ(answer.headers.get("location"), proxy + "/?x=1");
  }
  EXPECT_EQ(asked, 0);
  EXPECT_EQ(cluster.ask("GET", proxy + "/").body.view(), "hello");
  EXPECT_EQ(cluster.ask("POST", proxy, "Content-Length: 1\r\n\r\nx").body.view(), "x");
}

TEST(Connections, ProxyToServicesAndSwitchThere) {
  SKIP_WITHOUT_NETWORK();
  PodServer pod([](const ExchangePtr& exchange) {
    if (exchange->request().headers.has("upgrade")) return testkit::EchoSocket::serve(exchange);
    testkit::echo(exchange);
  });
  Cluster cluster;
  cluster.put_pod("web", "", own_address());
  cluster.put("endpoints", R"({"metadata": {"name": "svc", "namespace": "default"}, "subsets": [
      {"addresses": [{"ip": ")" +
                               own_address() + R"(", "targetRef": {"kind": "Pod",
      "namespace": "default", "name": "web"}}], "ports": [{"name": "p", "port": )" +
                               std::to_string(pod.port) + "}]}]}");
  const std::string proxy = "/api/v1/namespaces/default/services/svc:p/proxy/";
  EXPECT_EQ(cluster.ask("GET", proxy).body.view(), "hello");
  // Other protocols are not forwarded.
  EXPECT_EQ(cluster.ask("GET", proxy, "Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n").body.view(),
            "hello");
  const auto client = cluster.connect();
  client->send(upgrade("GET", proxy, "Upgrade: websocket\r\n") + "early");
  EXPECT_TRUE(client->receive_until("\r\n\r\n").starts_with("HTTP/1.1 101 "));
  EXPECT_EQ(client->receive_exactly(7), "<early>");

  cluster.put_pod("web", "", "192.0.2.77");
  const Response answer = cluster.ask("GET", proxy);
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(message_of(answer), "no endpoints available for service \"svc:p\"");
}

TEST(Connections, SayWhenAProxyLeadsNowhere) {
  SKIP_WITHOUT_NETWORK();
  Cluster cluster;
  cluster.put_pod("web", "", own_address());
  const Response answer = cluster.ask("GET", std::string(kPods) + "web:1/proxy/");
  EXPECT_EQ(answer.status, 503);
  EXPECT_TRUE(message_of(answer).starts_with("error trying to reach service: "))
      << message_of(answer);
}

}  // namespace connections_test
}  // namespace proa::apiserver
