#include "apiserver/streaming/aggregation/aggregation.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "base/encoding.h"
#include "json/print.h"
#include "testkit/apiserver/connect_cluster.h"
#include "testkit/apiserver/test_https_server.h"
#include "testkit/http/echo_socket.h"
#include "testkit/http/inbox.h"
#include "testkit/patience.h"

namespace proa::apiserver {
namespace aggregation_test {

using namespace testkit::connect;
using http::ExchangePtr;
using testkit::Inbox;
using testkit::RawClient;
using Texts = std::vector<std::string_view>;

constexpr std::string_view kApiServices = "/apis/apiregistration.k8s.io/v1/apiservices";
const std::string kPath = "/apis/wardle.example.com/v1";
constexpr std::string_view kAggregatedType =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
constexpr std::chrono::seconds kPatience{10};

std::string accept_aggregated() { return "Accept: " + std::string(kAggregatedType) + "\r\n\r\n"; }

// An extension API server: documents for whoever asks, and what a test does with other requests.
class ExtensionServer {
 public:
  struct Asked {
    http::RequestHead head;
    std::string proxy;  // the common name of the client's certificate
  };
  using Handle = std::function<void(const ExchangePtr&)>;

  explicit ExtensionServer(Handle handle)
      : handle_(std::move(handle)),
        server_([this](const ExchangePtr& exchange) { serve(exchange); }) {}

  void set_document(const std::string& path, Response response) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    documents_[path] = std::move(response);
  }
  int listen_at(const std::string& address) { return server_.listen_at(address); }

  Inbox<Asked> asked;

 private:
  void serve(const ExchangePtr& exchange) EXCLUDES(mutex_) {
    {
      MutexLock lock(mutex_);
      const auto found = documents_.find(exchange->request().target);
      if (found != documents_.end()) return exchange->respond(found->second);
    }
    // Not what a test waits for.
    if (exchange->request().headers.get("x-remote-user").starts_with("system:"))
      return exchange->respond({.status = 404, .headers = {}, .body = {}, .trailers = {}});
    const auto& chain = exchange->peer().certificates.chain_der;
    std::string proxy;
    if (!chain.empty()) {
      proxy = crypto::Certificate::parse_der(chain.front())->identity()->common_name;
    }
    asked.put({exchange->request(), proxy});
    handle_(exchange);
  }

  const Handle handle_;
  Mutex mutex_;
  std::map<std::string, Response, std::less<>> documents_ GUARDED_BY(mutex_);
  TestHttpsServer server_;
};

Response json_text(const std::string& text, std::string_view type = "application/json") {
  return {.status = 200,
          .headers = {{"content-type", std::string(type)}, {"etag", "\"1\""}},
          .body = Bytes(text),
          .trailers = {}};
}

class AggregationTest : public testing::Test {
 protected:
  void SetUp() override {
    // Extension servers at loopback addresses are not asked.
    if (testkit::own_address() == "127.0.0.1") GTEST_SKIP() << "there is no network but loopback";
  }

  void start(ExtensionServer::Handle handle) {
    extension_ = std::make_unique<ExtensionServer>(std::move(handle));
    create("/api/v1/namespaces/default/services",
           R"({"metadata":{"name":"hook"},"spec":{"ports":[{"name":"https","port":443}]}})");
    const std::string address = testkit::own_address();
    create("/apis/discovery.k8s.io/v1/namespaces/default/endpointslices",
           R"({"metadata":{"name":"hook-1","labels":{"kubernetes.io/service-name":"hook"}},)"
           R"("addressType":"IPv4","endpoints":[{"addresses":[")" +
               address + R"("]}],"ports":[{"name":"https","port":)" +
               std::to_string(extension_->listen_at(address)) + "}]}");
  }
  void create(const std::string& path, const std::string& json) {
    const Response made = send("POST", path, json);
    ASSERT_EQ(made.status, 201) << made.body.view();
  }
  Response send(std::string_view method, const std::string& path, const std::string& json,
                std::string_view type = "application/json") {
    return cluster_.ask(method, path,
                        "Content-Type: " + std::string(type) + "\r\nContent-Length: " +
                            std::to_string(json.size()) + "\r\n\r\n" + json);
  }
  void create_api(const std::string& group, const std::string& authority_pem) {
    create(std::string(kApiServices),
           R"({"metadata":{"name":"v1.)" + group + R"("},"spec":{"group":")" + group +
               R"(","version":"v1","groupPriorityMinimum":1000,"versionPriority":15,)"
               R"("service":{"namespace":"default","name":"hook"},"caBundle":")" +
               to_base64(authority_pem) + R"("}})");
  }
  void set_available(const std::string& group, const std::string& status = "True") {
    const Response set =
        send("PATCH", std::string(kApiServices) + "/v1." + group + "/status",
             R"({"status":{"conditions":[{"type":"Available","status":")" + status + R"("}]}})",
             "application/merge-patch+json");
    ASSERT_EQ(set.status, 200) << set.body.view();
  }
  void serve_wardle() {
    create_api("wardle.example.com", TestCertificates::get().authority.certificate_pem);
    set_available("wardle.example.com");
  }
  // What aggregated discovery says about the group, as JSON; empty: nothing.
  std::string discovered() {
    const Response response = cluster_.ask("GET", "/apis", accept_aggregated());
    const auto parsed = json::parse(response.body.view());
    if (!parsed) return "not JSON";
    for (const api::View item : api::View(parsed->root())["items"].items()) {
      if (item["metadata"]["name"].text() == "wardle.example.com")
        return json::print(*item["versions"].item(0).value());
    }
    return "";
  }

  Cluster cluster_{
      {.proxy_client = issue_client(make_test_authority(), "front-proxy-client", "front-proxies")}};
  std::unique_ptr<ExtensionServer> extension_;
};

TEST_F(AggregationTest, PassesRequestsOnInTheNameOfTheUser) {
  start([](const ExchangePtr& exchange) {
    exchange->respond({.status = 201,
                       .headers = {{"content-type", "application/json"},
                                   {"set-cookie", "session=evil"},
                                   {"x-remote-user", "root"}},
                       .body = Bytes("{\"kind\":\"Flunder\"}"),
                       .trailers = {}});
  });
  serve_wardle();
  const std::string target = kPath + "/namespaces/default/flunders?dryRun=All&a=b%2Fc";
  const Response response =
      cluster_.ask("POST", target,
                   "X-Remote-User: root\r\nX-Remote-Group: root\r\nX-Remote-Extra-Scopes: all\r\n"
                   "X-Remote-Uid: 0\r\nContent-Length: 2\r\n\r\n{}");
  EXPECT_EQ(response.status, 201);
  EXPECT_EQ(response.body.view(), "{\"kind\":\"Flunder\"}");
  EXPECT_FALSE(response.headers.has("set-cookie"));
  EXPECT_FALSE(response.headers.has("x-remote-user"));
  const auto asked = extension_->asked.take();
  ASSERT_TRUE(asked);
  EXPECT_EQ(asked->proxy, "front-proxy-client");
  EXPECT_EQ(asked->head.target, target);
  EXPECT_EQ(asked->head.method, "POST");
  const http::Headers& headers = asked->head.headers;
  EXPECT_EQ(headers.all("x-remote-user"), Texts{"admin"});
  EXPECT_EQ(headers.all("x-remote-group"), (Texts{"system:masters", "system:authenticated"}));
  EXPECT_FALSE(headers.has("x-remote-extra-scopes"));
  EXPECT_FALSE(headers.has("x-remote-uid"));
  EXPECT_FALSE(headers.get("x-forwarded-for").empty());
}

TEST_F(AggregationTest, RefusesWhatIsNotAvailable) {
  start([](const ExchangePtr& exchange) {
    exchange->respond({.status = 200, .headers = {}, .body = {}, .trailers = {}});
  });
  create_api("wardle.example.com", TestCertificates::get().authority.certificate_pem);
  const Response before = cluster_.ask("GET", kPath + "/flunders");
  EXPECT_EQ(before.status, 503);
  EXPECT_EQ(before.body.view(), "service unavailable\n");
  set_available("wardle.example.com");
  EXPECT_EQ(cluster_.ask("GET", kPath + "/flunders").status, 200);
  set_available("wardle.example.com", "False");
  EXPECT_EQ(cluster_.ask("GET", kPath + "/flunders").status, 503);
  const Response removed =
      cluster_.ask("DELETE", std::string(kApiServices) + "/v1.wardle.example.com");
  EXPECT_EQ(removed.status, 200);
  EXPECT_EQ(cluster_.ask("GET", kPath + "/flunders").body.view(), "404 page not found\n");
}

TEST_F(AggregationTest, TrustsOnlyTheBundle) {
  start([](const ExchangePtr& exchange) { testkit::echo(exchange); });
  create_api("wardle.example.com", make_test_authority().certificate_pem);
  set_available("wardle.example.com");
  const Response response = cluster_.ask("GET", kPath + "/flunders");
  EXPECT_EQ(response.status, 503);
  EXPECT_TRUE(response.body.view().starts_with("error trying to reach service: "))
      << response.body.view();
  const Result<void> probed = cluster_.api().probe_api_service("v1.wardle.example.com");
  ASSERT_FALSE(probed.ok());
  EXPECT_TRUE(probed.status().message().starts_with("failing or missing response from https://"))
      << probed.status().message();
}

TEST_F(AggregationTest, NeverGivesBuiltInGroupsAway) {
  start([](const ExchangePtr& exchange) { testkit::echo(exchange); });
  const Response taken = send("PATCH", std::string(kApiServices) + "/v1.apps",
                              R"({"spec":{"insecureSkipTLSVerify":true,)"
                              R"("service":{"namespace":"default","name":"hook"}}})",
                              "application/merge-patch+json");
  EXPECT_LT(taken.status, 300) << taken.body.view();
  set_available("apps");
  const Response own = cluster_.ask("GET", "/apis/apps/v1/deployments");
  EXPECT_NE(own.body.view().find("DeploymentList"), std::string_view::npos) << own.body.view();
}

TEST_F(AggregationTest, DoesNotPassRedirectsOn) {
  start([](const ExchangePtr& exchange) {
    exchange->respond({.status = 307,
                       .headers = {{"location", "https://169.254.169.254/secrets"}},
                       .body = Bytes("go there"),
                       .trailers = {}});
  });
  serve_wardle();
  const Response response = cluster_.ask("GET", kPath + "/flunders");
  EXPECT_EQ(response.status, 502);
  EXPECT_FALSE(response.headers.has("location"));
  EXPECT_EQ(response.body.view(),
            "the backend attempted to redirect this request, which is not permitted");
  EXPECT_TRUE(extension_->asked.take());
  EXPECT_TRUE(extension_->asked.empty());  // nor follows them
}

TEST_F(AggregationTest, EndsRequestsThatTakeTooLong) {
  Inbox<ExchangePtr> held;
  start([&](const ExchangePtr& exchange) { held.put(exchange); });
  serve_wardle();
  const Response response = cluster_.ask("GET", kPath + "/flunders?timeout=50ms");
  EXPECT_EQ(response.status, 504);
  EXPECT_EQ(message_of(response), "Timeout: request did not complete within the allotted timeout");
}

TEST_F(AggregationTest, StreamsWatches) {
  Inbox<ExchangePtr> watches;
  start([&](const ExchangePtr& exchange) {
    exchange->start({200, {{"content-type", "application/json"}}});
    exchange->write(Bytes("{\"type\":\"ADDED\"}\n"));
    watches.put(exchange);
  });
  serve_wardle();
  const auto client = cluster_.connect();
  client->send("GET " + kPath + "/flunders?watch=true HTTP/1.1\r\nHost: api:6443\r\n\r\n");
  EXPECT_NE(client->receive_until("ADDED\"}\n").find("200 OK"), std::string::npos);
  const auto watch = watches.take();
  ASSERT_TRUE(watch);
  (*watch)->write(Bytes("{\"type\":\"DELETED\"}\n"));
  EXPECT_NE(client->receive_until("DELETED\"}\n").find("DELETED"), std::string::npos);
  client->cut_off();
  EXPECT_TRUE(testkit::holds_within(kPatience, [&] { return (*watch)->is_closed(); }));
}

TEST_F(AggregationTest, PassesUpgradesOn) {
  start([](const ExchangePtr& exchange) { testkit::EchoSocket::serve(exchange); });
  serve_wardle();
  const auto client = cluster_.connect();
  client->send(upgrade("GET", kPath + "/namespaces/default/flunders/a/exec",
                       "Upgrade: websocket\r\nX-Remote-User: root\r\n") +
               "early");
  EXPECT_TRUE(client->receive_until("\r\n\r\n").starts_with("HTTP/1.1 101 "));
  EXPECT_EQ(client->receive_exactly(7), "<early>");
  client->send("more");
  EXPECT_EQ(client->receive_exactly(6), "<more>");
  const auto asked = extension_->asked.take();
  ASSERT_TRUE(asked);
  EXPECT_EQ(asked->head.headers.all("x-remote-user"), Texts{"admin"});
  EXPECT_EQ(asked->proxy, "front-proxy-client");
}

TEST_F(AggregationTest, MergesDiscovery) {
  start([](const ExchangePtr& exchange) { testkit::echo(exchange); });
  extension_->set_document(
      "/apis",
      json_text(R"({"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2",)"
                R"("items":[{"metadata":{"name":"wardle.example.com"},"versions":[)"
                R"({"version":"v1","resources":[{"resource":"flunders","responseKind":)"
                R"({"group":"wardle.example.com","version":"v1","kind":"Flunder"},)"
                R"("scope":"Namespaced","singularResource":"flunder","verbs":["get"]}]}]},)"
                R"({"metadata":{"name":"apps"},"versions":[{"version":"v1"}]}]})",
                kAggregatedType));
  EXPECT_EQ(discovered(), "");
  serve_wardle();
  EXPECT_TRUE(testkit::holds_within(kPatience, [&] {
    return discovered().find(R"("freshness":"Current")") != std::string::npos;
  })) << discovered();
  EXPECT_NE(discovered().find(R"("resource":"flunders")"), std::string::npos);
  const Response groups = cluster_.ask("GET", "/apis");
  EXPECT_NE(groups.body.view().find(R"("wardle.example.com/v1")"), std::string_view::npos);
  EXPECT_NE(groups.body.view().find(R"("apps/v1")"), std::string_view::npos);
  EXPECT_NE(cluster_.ask("GET", "/apis/wardle.example.com").body.view().find("APIGroup"),
            std::string_view::npos);
  EXPECT_NE(cluster_.ask("GET", "/").body.view().find(kPath), std::string_view::npos);
  // Garbage is not believed. It may be read at the next look, or at one that is just going on.
  extension_->set_document("/apis", json_text("garbage", kAggregatedType));
  EXPECT_TRUE(testkit::holds_within(kPatience, [&] {
    cluster_.clock().advance(std::chrono::minutes(1));
    return discovered() == R"({"version":"v1","freshness":"Stale"})";
  })) << discovered();
}

TEST_F(AggregationTest, KnowsServersWithLegacyDiscovery) {
  start([](const ExchangePtr& exchange) { testkit::echo(exchange); });
  extension_->set_document(
      kPath, json_text(R"({"kind":"APIResourceList","groupVersion":"wardle.example.com/v1",)"
                       R"("resources":[{"name":"fischers","singularName":"fischer",)"
                       R"("namespaced":false,"kind":"Fischer","verbs":["list"]}]})"));
  serve_wardle();
  EXPECT_TRUE(testkit::holds_within(kPatience, [&] {
    return discovered().find(R"("resource":"fischers")") != std::string::npos;
  })) << discovered();
  // The same document for everybody else.
  EXPECT_NE(cluster_.ask("GET", kPath).body.view().find("APIResourceList"), std::string_view::npos);
  EXPECT_TRUE(cluster_.api().probe_api_service("v1.wardle.example.com").ok());
}

TEST_F(AggregationTest, MergesTheIndexOfOpenApi) {
  start([](const ExchangePtr& exchange) {
    exchange->respond(json_text(R"({"openapi":"3.0.0","of":"wardle"})"));
  });
  extension_->set_document(
      "/openapi/v3",
      json_text(R"({"paths":{"apis/wardle.example.com/v1":{"serverRelativeURL":)"
                R"("/openapi/v3/apis/wardle.example.com/v1?hash=A"},)"
                R"("apis/apps/v1":{"serverRelativeURL":"/openapi/v3/apis/apps/v1?hash=EVIL"}}})"));
  serve_wardle();
  const auto index = [&] { return cluster_.ask("GET", "/openapi/v3").body.str(); };
  EXPECT_TRUE(testkit::holds_within(kPatience, [&] {
    return index().find("/openapi/v3/apis/wardle.example.com/v1?hash=A") != std::string::npos;
  }));
  EXPECT_EQ(index().find("EVIL"), std::string::npos);
  EXPECT_NE(index().find("/openapi/v3/apis/apps/v1?hash="), std::string::npos);
  const Response document = cluster_.ask("GET", "/openapi/v3/apis/wardle.example.com/v1?hash=A");
  EXPECT_EQ(document.body.view(), R"({"openapi":"3.0.0","of":"wardle"})");
}

TEST_F(AggregationTest, MergesTheDocumentOfOpenApiV2) {
  start([](const ExchangePtr& exchange) { testkit::echo(exchange); });
  extension_->set_document(
      "/openapi/v2",
      json_text(R"({"swagger":"2.0","paths":{"/apis/wardle.example.com/v1/flunders":{"get":)"
                R"({"responses":{"200":{"description":"OK","schema":{"$ref":)"
                R"("#/definitions/com.example.wardle.Flunder"}}}}},"/api/v1/pods":{"get":{}}},)"
                R"("definitions":{"com.example.wardle.Flunder":{"type":"object"}}})"));
  const auto document = [&] { return cluster_.ask("GET", "/openapi/v2").body.str(); };
  const std::string before = document();
  serve_wardle();
  EXPECT_TRUE(testkit::holds_within(kPatience, [&] {
    return document().find("/apis/wardle.example.com/v1/flunders") != std::string::npos;
  }));
  const std::string merged = document();
  const auto parsed = json::parse(merged);
  ASSERT_TRUE(parsed.ok()) << parsed.status().message();
  const api::View root(parsed->root());
  EXPECT_TRUE(root["definitions"]["com.example.wardle.Flunder"].exists());
  // What it says about paths of others does not count.
  EXPECT_NE(root["paths"]["/api/v1/pods"]["get"]["description"].text(), "");
  EXPECT_GT(merged.size(), before.size());
}

TEST_F(AggregationTest, ConvertsOpenApiOfServersThatHaveNoVersion3) {
  start([](const ExchangePtr& exchange) { testkit::echo(exchange); });
  extension_->set_document(
      "/openapi/v2",
      json_text(R"({"swagger":"2.0","info":{"title":"wardle","version":"v0"},"paths":{)"
                R"("/apis/wardle.example.com/v1/flunders":{"get":{"produces":["application/json"],)"
                R"("responses":{"200":{"description":"OK","schema":{"$ref":)"
                R"("#/definitions/com.example.wardle.Flunder"}}}}}},)"
                R"("definitions":{"com.example.wardle.Flunder":{"type":"object"}}})"));
  serve_wardle();
  const std::string name = "/openapi/v3" + kPath;
  EXPECT_TRUE(testkit::holds_within(kPatience, [&] {
    return cluster_.ask("GET", "/openapi/v3").body.str().find(name + "?hash=") != std::string::npos;
  }));
  const Response document = cluster_.ask("GET", name);
  EXPECT_EQ(document.status, 200);
  EXPECT_EQ(document.body.view(),
            R"({"openapi":"3.0.0","info":{"title":"wardle","version":"v0"},"paths":{)"
            R"("/apis/wardle.example.com/v1/flunders":{"get":{"responses":{"200":{"description":)"
            R"("OK","content":{"application/json":{"schema":{"$ref":)"
            R"("#/components/schemas/com.example.wardle.Flunder"}}}}}}}},"components":{"schemas":{)"
            R"("com.example.wardle.Flunder":{"type":"object"}}}})");
}

// Headers lose blanks at their ends: the extension server would believe that it is somebody else.
TEST_F(AggregationTest, RefusesUsersWhoseNamesBeginOrEndWithBlanks) {
  start([](const ExchangePtr& exchange) {
    exchange->respond({.status = 200, .headers = {}, .body = {}, .trailers = {}});
  });
  serve_wardle();
  const auto ask_as = [&](const std::string& name) {
    const crypto::CertifiedKey certificate = cluster_.certificate(name, "system:masters");
    const auto client = cluster_.connect(certificate);
    client->send("GET " + kPath + "/flunders HTTP/1.1\r\nHost: api:6443\r\n\r\n");
    return client->receive_response(false);
  };
  for (const std::string name : {" jane", "jane ", "\tjane", " "}) {
    SCOPED_TRACE("\"" + name + "\"");
    const Response refused = ask_as(name);
    EXPECT_EQ(refused.status, 403);
    EXPECT_NE(message_of(refused).find("cannot be passed on to an aggregated server"),
              std::string::npos)
        << refused.body.view();
  }
  EXPECT_EQ(ask_as("jane doe").status, 200);
  const auto asked = extension_->asked.take();
  ASSERT_TRUE(asked);
  EXPECT_EQ(asked->head.headers.all("x-remote-user"), Texts{"jane doe"})
      << "the others never got there";
}

}  // namespace aggregation_test
}  // namespace proa::apiserver
