// Extension API servers that mean harm, and clients that smuggle: neither gets to speak in the name
// of somebody else, nor sends anybody elsewhere. Over real connections, by the bytes on them.
#include <gtest/gtest.h>

#include "base/encoding.h"
#include "testkit/apiserver/connect_cluster.h"
#include "testkit/apiserver/test_https_server.h"
#include "testkit/patience.h"
#include "tests/http/hostile_server.h"

namespace proa::apiserver {
namespace {

using namespace testkit::connect;
using testkit::HostileReply;
using testkit::HostileServer;

constexpr std::chrono::seconds kPatience{20};
constexpr std::string_view kApiServices = "/apis/apiregistration.k8s.io/v1/apiservices";
const std::string kFlunders = "/apis/wardle.example.com/v1/namespaces/default/flunders";

std::string answer(const std::string& fields = "", const std::string& body = "{}",
                   const std::string& status = "200 OK") {
  return "HTTP/1.1 " + status +
         "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\n" + fields + "\r\n" + body;
}

// Lines of a head that begin with that, in any case of letters.
std::vector<std::string> lines_of(const std::string& head, const std::string& prefix) {
  std::vector<std::string> found;
  const std::string_view fields = std::string_view(head).substr(0, head.find("\r\n\r\n"));
  for (const std::string_view line : split(fields, '\n')) {
    const std::string text = to_lower(trim(line));
    if (text.starts_with(prefix)) found.push_back(text);
  }
  return found;
}

class HostileExtension : public testing::Test {
 protected:
  using Texts = std::vector<std::string>;

  void SetUp() override {
    // Extension servers at loopback addresses are not asked.
    if (testkit::own_address() == "127.0.0.1") GTEST_SKIP() << "there is no network but loopback";
  }

  // The script is for requests of users; this server's own questions find nothing.
  void start(HostileServer::Script script) {
    server_ = std::make_unique<HostileServer>(
        TestCertificates::get().server, [this, script](const std::string& request) {
          const bool own = !request.starts_with("GET /apis/wardle") &&
                           request.starts_with("GET ") && !own_questions_too_;
          return own ? HostileReply{.bytes = answer("", "{}", "404 Not Found")} : script(request);
        });
    const std::string address = testkit::own_address();
    send("POST", "/api/v1/namespaces/default/services",
         R"({"metadata":{"name":"hook"},"spec":{"ports":[{"name":"https","port":443}]}})");
    send("POST", "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices",
         R"({"metadata":{"name":"hook-1","labels":{"kubernetes.io/service-name":"hook"}},)"
         R"("addressType":"IPv4","endpoints":[{"addresses":[")" +
             address + R"("]}],"ports":[{"name":"https","port":)" +
             std::to_string(server_->listen_at(address)) + "}]}");
    send("POST", std::string(kApiServices),
         R"({"metadata":{"name":"v1.wardle.example.com"},"spec":{"group":"wardle.example.com",)"
         R"("version":"v1","groupPriorityMinimum":1000,"versionPriority":15,"service":)"
         R"({"namespace":"default","name":"hook"},"caBundle":")" +
             to_base64(TestCertificates::get().authority.certificate_pem) + R"("}})");
    send("PATCH", std::string(kApiServices) + "/v1.wardle.example.com/status",
         R"({"status":{"conditions":[{"type":"Available","status":"True"}]}})",
         "application/merge-patch+json");
  }
  void reply_with(const std::string& bytes, bool closes = false) {
    start([bytes, closes](const std::string&) {
      return HostileReply{.bytes = bytes, .closes = closes};
    });
  }
  void send(std::string_view method, const std::string& path, const std::string& json,
            std::string_view type = "application/json") {
    const Response made =
        cluster_.ask(method, path,
                     "Content-Type: " + std::string(type) +
                         "\r\nContent-Length: " + std::to_string(json.size()) + "\r\n\r\n" + json);
    ASSERT_LT(made.status, 300) << made.body.view();
  }

  // What users asked the extension server.
  Texts asked() const {
    Texts found;
    for (const std::string& request : server_->requests()) {
      if (request.find("/flunders") != std::string::npos) found.push_back(request);
    }
    return found;
  }
  // Asks with these fields, and returns what the extension server saw.
  std::string seen_with(const std::string& fields) {
    const size_t before = asked().size();
    const Response response = cluster_.ask("GET", kFlunders, fields + "\r\n");
    EXPECT_EQ(response.status, 200) << response.body.view();
    const Texts all = asked();
    EXPECT_EQ(all.size(), before + 1);
    return all.empty() ? "" : all.back();
  }

  bool own_questions_too_ = false;
  Cluster cluster_{
      {.proxy_client = issue_client(make_test_authority(), "front-proxy-client", "front-proxies")}};
  std::unique_ptr<HostileServer> server_;
};

// In any spelling, any number of times.
TEST_F(HostileExtension, ClientsCannotSmuggleAnIdentity) {
  reply_with(answer());
  const char* const cases[] = {
      "X-Remote-User: root\r\nX-Remote-Group: roots\r\nX-Remote-Uid: root\r\n",
      "x-remote-user: root\r\nx-remote-group: roots\r\nx-remote-uid: root\r\n",
      "X-REMOTE-USER: root\r\nX-REMOTE-GROUP: roots\r\nX-REMOTE-UID: root\r\n",
      "x-ReMoTe-uSeR: root\r\nx-rEmOtE-GrOuP: roots\r\nX-remote-UID: root\r\n",
      "X-Remote-User: root\r\nX-Remote-User: root2\r\nx-remote-user: root3\r\n",
      "X-Remote-Group: roots\r\nX-Remote-Group: roots2\r\nX-REMOTE-GROUP: roots3\r\n",
      "X-Remote-Extra-Scopes: root\r\nx-remote-extra-a%2fb: root\r\nX-REMOTE-EXTRA-: root\r\n",
      "X-Remote-User:root\r\nX-Remote-User:\troot\t\r\nX-Remote-User: \r\n",
      "X-Remote-User: admin, root\r\n",
      "X-Remote-User: root\r\nConnection: X-Remote-User\r\n",
  };
  for (const char* const fields : cases) {
    SCOPED_TRACE(fields);
    const std::string seen = seen_with(fields);
    EXPECT_EQ(lines_of(seen, "x-remote-user"), Texts{"x-remote-user: admin"});
    EXPECT_EQ(lines_of(seen, "x-remote-group"),
              (Texts{"x-remote-group: system:masters", "x-remote-group: system:authenticated"}));
    EXPECT_EQ(lines_of(seen, "x-remote-uid"), Texts{});
    const Texts extra = lines_of(seen, "x-remote-extra-");
    ASSERT_EQ(extra.size(), 1U);
    EXPECT_TRUE(extra[0].starts_with(
        "x-remote-extra-authentication.kubernetes.io%2fcredential-id: x509sha256="))
        << extra[0];
    EXPECT_EQ(to_lower(seen).find("root"), std::string::npos) << seen;
  }
}

// Fields that Connection lists are of one hop: those of the identity are added after that.
TEST_F(HostileExtension, ClientsCannotDropTheIdentity) {
  reply_with(answer());
  const char* const cases[] = {
      "Connection: X-Remote-User, X-Remote-Group\r\n",
      "Connection: x-remote-user\r\nConnection: x-remote-group\r\n",
      "Connection: close, X-REMOTE-USER,x-remote-group\r\n",
      "Proxy-Connection: X-Remote-User, X-Remote-Group\r\n",
      "Connection: keep-alive, X-Secret\r\nX-Secret: one-hop\r\n",
      "Connection: Authorization, Host, Content-Length, X-Forwarded-For\r\n",
  };
  for (const char* const fields : cases) {
    SCOPED_TRACE(fields);
    const std::string seen = seen_with(fields);
    EXPECT_EQ(lines_of(seen, "x-remote-user"), Texts{"x-remote-user: admin"});
    EXPECT_EQ(lines_of(seen, "x-remote-group").size(), 2U);
    EXPECT_EQ(seen.find("one-hop"), std::string::npos) << seen;
    EXPECT_EQ(lines_of(seen, "host").size(), 1U);
  }
}

// What does not parse as one head everywhere is not passed on.
TEST_F(HostileExtension, ClientsCannotSmuggleByAmbiguity) {
  reply_with(answer());
  const char* const cases[] = {
      "X-Remote-User : root\r\n",
      "X-A: b\r\n X-Remote-User: root\r\n",
      "X-A: b\rX-Remote-User: root\r\n",
      "X-A: b\nX-Remote-User: root\r\n",
      "X-A: \x01\r\n",
      "X Remote User: root\r\n",
      ": root\r\n",
      "Host: other\r\n",
      "Content-Length: 1\r\nContent-Length: 2\r\n",
      "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
      "Transfer-Encoding: xchunked\r\n",
      "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n",
      "Content-Length: +2\r\n",
  };
  for (const char* const fields : cases) {
    SCOPED_TRACE(fields);
    const size_t before = asked().size();
    const auto client = cluster_.connect();
    client->send("GET " + kFlunders + " HTTP/1.1\r\nHost: api:6443\r\n" + fields + "\r\n");
    client->end();
    const std::string received = client->receive_all();
    for (size_t i = before; i < asked().size(); ++i) {
      const std::string seen = asked()[i];
      EXPECT_EQ(lines_of(seen, "x-remote-user"), Texts{"x-remote-user: admin"}) << seen;
      EXPECT_EQ(lines_of(seen, "host").size(), 1U) << seen;
      // A bare line feed ends a line for some, so that it may not end one of a value.
      EXPECT_EQ(seen.find("root"), std::string::npos) << seen;
    }
    EXPECT_LE(asked().size(), before + 1);
  }
}

// A request in the body of another one stays there.
TEST_F(HostileExtension, ClientsCannotSmuggleRequests) {
  reply_with(answer());
  const std::string inner =
      "GET " + kFlunders + "/evil HTTP/1.1\r\nHost: a\r\nX-Remote-User: root\r\n\r\n";
  const auto client = cluster_.connect();
  client->send("POST " + kFlunders + " HTTP/1.1\r\nHost: api:6443\r\nContent-Length: " +
               std::to_string(inner.size()) + "\r\n\r\n" + inner);
  EXPECT_EQ(client->receive_response().status, 200);
  ASSERT_EQ(asked().size(), 1U);
  EXPECT_TRUE(asked()[0].starts_with("POST "));
  EXPECT_TRUE(asked()[0].ends_with(inner));
  EXPECT_EQ(lines_of(asked()[0], "x-remote-user"), Texts{"x-remote-user: admin"});
}

// As in requests for this server itself: the user who is impersonated is who asks.
TEST_F(HostileExtension, ClientsImpersonateOnlyAsTheyMay) {
  reply_with(answer());
  send("POST", "/apis/rbac.authorization.k8s.io/v1/clusterroles",
       R"({"metadata":{"name":"flunders"},"rules":[{"verbs":["list"],"apiGroups":)"
       R"(["wardle.example.com"],"resources":["flunders"]}]})");
  send("POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
       R"({"metadata":{"name":"flunders"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io",)"
       R"("kind":"ClusterRole","name":"flunders"},"subjects":[{"kind":"Group","name":"devs",)"
       R"("apiGroup":"rbac.authorization.k8s.io"}]})");
  const std::string seen =
      seen_with("Impersonate-User: jane\r\nImpersonate-Group: devs\r\nX-Remote-User: root\r\n");
  EXPECT_EQ(lines_of(seen, "x-remote-user"), Texts{"x-remote-user: jane"});
  EXPECT_EQ(lines_of(seen, "x-remote-group"),
            (Texts{"x-remote-group: devs", "x-remote-group: system:authenticated"}));
  EXPECT_EQ(lines_of(seen, "impersonate-"), Texts{});
  EXPECT_EQ(seen.find("admin"), std::string::npos) << seen;
  // Nobody else may.
  const crypto::CertifiedKey jane = cluster_.certificate("jane", "devs");
  const auto client = cluster_.connect(jane);
  client->send("GET " + kFlunders +
               " HTTP/1.1\r\nHost: api:6443\r\nImpersonate-User: root\r\n\r\n");
  EXPECT_EQ(client->receive_response().status, 403);
  EXPECT_EQ(asked().size(), 1U);
}

// The server's answers do not speak for this server, in any spelling.
TEST_F(HostileExtension, AnswersClaimNothing) {
  reply_with(
      answer("Set-Cookie: a=evil\r\nSET-COOKIE: b=evil\r\nX-Remote-User: evil\r\n"
             "x-REMOTE-group: evil\r\nX-Remote-Extra-Scopes: evil\r\nImpersonate-User: evil\r\n"
             "IMPERSONATE-EXTRA-A: evil\r\nAccess-Control-Allow-Origin: evil\r\n"
             "Strict-Transport-Security: evil\r\nAlt-Svc: evil\r\nClear-Site-Data: evil\r\n"
             "X-Hop: evil\r\nConnection: X-Hop\r\nKeep-Alive: evil\r\nX-Kept: yes\r\n"));
  const Response response = cluster_.ask("GET", kFlunders);
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body.view(), "{}");
  EXPECT_EQ(response.headers.get("x-kept"), "yes");
  for (const auto& [name, value] : response.headers) {
    EXPECT_EQ(value.find("evil"), std::string::npos) << name << ": " << value;
  }
}

// A bare line feed ends a field, too.
TEST_F(HostileExtension, AnswersHideNoClaims) {
  reply_with(answer("X-A: b\nSet-Cookie: a=evil\nX-Remote-User: evil\r\n"));
  const Response response = cluster_.ask("GET", kFlunders);
  for (const auto& [name, value] : response.headers) {
    EXPECT_EQ(value.find("evil"), std::string::npos) << name << ": " << value;
  }
}

// Nor does a second answer become that of the next request.
TEST_F(HostileExtension, AnswersOnlyWhatItIsAsked) {
  reply_with(answer() + answer("", R"({"evil":true})"));
  const auto client = cluster_.connect();
  for (int i = 0; i < 4; ++i) {
    client->send("GET " + kFlunders + " HTTP/1.1\r\nHost: api:6443\r\n\r\n");
    const Response response = client->receive_response();
    EXPECT_EQ(response.body.view().find("evil"), std::string_view::npos) << response.body.view();
  }
}

// Only a client that asked for another protocol gets one.
TEST_F(HostileExtension, DoesNotUpgradeUnasked) {
  reply_with(
      "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: evil\r\n\r\nevil");
  const auto client = cluster_.connect();
  client->send("GET " + kFlunders + "?timeout=1s HTTP/1.1\r\nHost: api:6443\r\n\r\n");
  const Response response = client->receive_response();
  EXPECT_GE(response.status, 500);
  EXPECT_EQ(response.body.view().find("evil"), std::string_view::npos) << response.body.view();
  // The connection is still one of requests.
  client->send("GET /version HTTP/1.1\r\nHost: api:6443\r\n\r\n");
  EXPECT_EQ(client->receive_response().status, 200);
}

TEST_F(HostileExtension, UpgradesClaimNothing) {
  reply_with(
      "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n"
      "Set-Cookie: a=evil\r\nX-Remote-User: evil\r\nImpersonate-User: evil\r\n"
      "Access-Control-Allow-Origin: evil\r\nX-Kept: yes\r\n\r\n");
  const auto client = cluster_.connect();
  client->send(upgrade("GET", kFlunders + "/a/exec",
                       "Upgrade: SPDY/3.1\r\nX-Remote-User: root\r\nx-remote-group: root\r\n"));
  const std::string head = client->receive_until("\r\n\r\n");
  EXPECT_TRUE(head.starts_with("HTTP/1.1 101 ")) << head;
  EXPECT_NE(to_lower(head).find("x-kept: yes"), std::string::npos) << head;
  EXPECT_EQ(head.find("evil"), std::string::npos) << head;
  ASSERT_EQ(asked().size(), 1U);
  EXPECT_EQ(lines_of(asked()[0], "x-remote-user"), Texts{"x-remote-user: admin"});
  EXPECT_EQ(asked()[0].find("root"), std::string::npos) << asked()[0];
}

// A client that asks for another protocol may be refused, but not sent elsewhere.
TEST_F(HostileExtension, RefusesUpgradesWithoutClaims) {
  reply_with(answer("Set-Cookie: a=evil\r\nX-Remote-User: evil\r\n", "{}", "403 Forbidden"));
  const auto client = cluster_.connect();
  client->send(upgrade("GET", kFlunders + "/a/exec"));
  const Response refused = client->receive_response();
  EXPECT_EQ(refused.status, 403);
  for (const auto& [name, value] : refused.headers) {
    EXPECT_EQ(value.find("evil"), std::string::npos) << name << ": " << value;
  }
}

class HostileRedirect : public HostileExtension {
 protected:
  std::string redirect(const std::string& status) {
    return answer("Location: " + target_ + "\r\n", "go there", status);
  }

  HostileServer elsewhere_{TestCertificates::get().server,
                           [](const std::string&) { return HostileReply{.bytes = answer()}; }};
  const std::string target_ = "https://" + testkit::own_address() + ":" +
                              std::to_string(elsewhere_.listen_at(testkit::own_address())) +
                              "/secrets";
};

TEST_F(HostileRedirect, LeadsNobodyElsewhere) {
  std::string status;
  start([&](const std::string&) { return HostileReply{.bytes = redirect(status)}; });
  for (const char* const code : {"300 a", "301 a", "302 a", "303 a", "305 a", "307 a", "308 a"}) {
    SCOPED_TRACE(code);
    status = code;
    const Response response = cluster_.ask("GET", kFlunders);
    EXPECT_EQ(response.status, 502);
    EXPECT_FALSE(response.headers.has("location"));
    EXPECT_EQ(response.body.view().find("go there"), std::string_view::npos);
  }
  EXPECT_EQ(elsewhere_.count(), 0U);
}

TEST_F(HostileRedirect, LeadsNoUpgradeElsewhere) {
  start([&](const std::string&) { return HostileReply{.bytes = redirect("307 a")}; });
  const auto client = cluster_.connect();
  client->send(upgrade("GET", kFlunders + "/a/exec"));
  const std::string head = client->receive_until("\r\n\r\n");
  EXPECT_FALSE(head.starts_with("HTTP/1.1 101")) << head;
  EXPECT_EQ(to_lower(head).find("location:"), std::string::npos) << head;
  EXPECT_EQ(elsewhere_.count(), 0U);
}

// This server asks for discovery and OpenAPI documents with its own certificate.
TEST_F(HostileRedirect, LeadsThisServerNowhere) {
  own_questions_too_ = true;
  start([&](const std::string&) { return HostileReply{.bytes = redirect("307 a")}; });
  const auto was_asked = [&](const std::string& path) {
    for (const std::string& request : server_->requests()) {
      if (request.starts_with("GET " + path)) return true;
    }
    return false;
  };
  EXPECT_FALSE(cluster_.api().probe_api_service("v1.wardle.example.com").ok());
  EXPECT_TRUE(testkit::holds_within(kPatience, [&] {
    cluster_.ask("GET", "/apis",
                 "Accept: application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
                 "\r\n\r\n");
    cluster_.ask("GET", "/openapi/v3");
    return was_asked("/apis") && was_asked("/openapi/");
  }));
  EXPECT_EQ(elsewhere_.count(), 0U);
}

TEST_F(HostileExtension, GarbageEndsTheRequestOnly) {
  const struct {
    const char* name;
    std::string bytes;
    bool closes;
  } cases[] = {
      {"no HTTP", "evil\r\n\r\n", true},
      {"at once", "", true},
      {"in the head", "HTTP/1.1 200 OK\r\nX-", true},
      {"two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}", false},
      {"an endless field", "HTTP/1.1 200 OK\r\nX: " + std::string(4 << 20, 'x') + "\r\n\r\n",
       false},
  };
  size_t index = 0;
  start([&](const std::string&) {
    return HostileReply{.bytes = cases[index].bytes, .closes = cases[index].closes};
  });
  for (; index < std::size(cases); ++index) {
    SCOPED_TRACE(cases[index].name);
    const Response response = cluster_.ask("GET", kFlunders + "?timeout=5s");
    EXPECT_GE(response.status, 500) << response.body.view();
    EXPECT_FALSE(response.headers.has("set-cookie"));
    EXPECT_EQ(cluster_.ask("GET", "/version").status, 200);
  }
}

}  // namespace
}  // namespace proa::apiserver
