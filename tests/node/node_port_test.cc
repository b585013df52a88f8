// Access to a node and its pods other than kubectl's streams: proxies and the kubelet's port, with
// and without permission.

#include <algorithm>
#include <fstream>

#include "base/clock.h"
#include "crypto/authority.h"
#include "given.h"
#include "terminal.h"
#include "testkit/http/raw_client.h"

namespace proa::node_tests {
namespace {

using crypto::CertifiedKey;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using testkit::RawClient;

// Contains nothing that could be printed by chance.
constexpr const char* kCanary = "canary-5c0de91b7a";

const Given kHello(
    "{apiVersion: v1, kind: Pod, metadata: {name: hello, labels: {app: hello}}, spec: "
    "{terminationGracePeriodSeconds: 1, containers: [{name: main, image: 'proa/hello:1'}]}}\n---\n"
    "{apiVersion: v1, kind: Service, metadata: {name: hello}, spec: {selector: {app: hello}, "
    "ports: [{port: 80, targetPort: 8080}]}}");
// Redirects all requests, and records them.
const Given kRogue(Given::pod("rogue",
                              "mkdir -p /www/cgi-bin; touch /asked; cd /www/cgi-bin; "
                              "printf '#!/bin/sh\\necho $REQUEST_METHOD $REQUEST_URI >> /asked\\n"
                              "printf \"HTTP/1.0 302 Found\\\\r\\\\nLocation: "
                              "http://169.254.169.254/keys\\\\r\\\\n\\\\r\\\\n\"' "
                              "> away; chmod +x away; exec httpd -f -p 8080 -h /www"));
const Given kKeeper(
    std::string("{apiVersion: v1, kind: Secret, metadata: {name: keys}, stringData: {key: ") +
    kCanary + "}}\n---\n" +
    Given::pod("keeper", "echo ready; sleep 1000",
               {.container = "env: [{name: KEY, valueFrom: {secretKeyRef: {name: "
                             "keys, key: key}}}], volumeMounts: [{name: keys, "
                             "mountPath: /keys}]",
                .spec = "volumes: [{name: keys, secret: {secretName: keys}}]"}));

class NodePortTest : public GivenTest {
 protected:
  static void SetUpTestSuite() {
    if (missing().empty() && !Cluster::newest_kubectl().empty()) {
      cluster_ = std::make_unique<Cluster>(std::vector<std::string>{"--log-level", "debug"});
      cluster_->apply(Given::all());
    }
  }
  void SetUp() override {
    GivenTest::SetUp();
    if (IsSkipped()) return;
    static const bool kReady = cluster_->wait("hello pod/rogue pod/keeper");
    ASSERT_TRUE(kReady);
  }

  static std::string node() {
    return cluster_->ask("get nodes -o jsonpath={.items[0].metadata.name}");
  }
  static int node_port() {
    return std::stoi(cluster_->ask(
        "get nodes -o jsonpath={.items[0].status.daemonEndpoints.kubeletEndpoint.Port}"));
  }
  static int api_port() {
    const std::string url = cluster_->url();
    return std::stoi(url.substr(url.rfind(':') + 1));
  }

  static std::string file(const std::string& name) {
    std::ifstream opened(cluster_->data_dir() + "/tls/" + name);
    return {std::istreambuf_iterator<char>(opened), {}};
  }
  static crypto::CertifiedKey pair(const std::string& name) {
    return {.certificate_pem = file(name + ".crt"), .private_key_pem = file(name + ".key")};
  }
  static crypto::CertifiedKey signed_by(const crypto::CertifiedKey& authority,
                                        const std::string& name) {
    crypto::CertificateTemplate wanted;
    wanted.common_name = name;
    wanted.not_before = SystemClock().now() - std::chrono::hours(1);
    wanted.not_after = SystemClock().now() + std::chrono::hours(1);
    wanted.for_client = true;
    return crypto::issue_certificate(authority, wanted).value();
  }
  static crypto::CertifiedKey other_authority() {
    crypto::CertificateTemplate wanted;
    wanted.common_name = "other";
    wanted.not_before = SystemClock().now() - std::chrono::hours(1);
    wanted.not_after = SystemClock().now() + std::chrono::hours(1);
    return crypto::make_authority(wanted).value();
  }

  static std::string token_of_keeper() {
    return cluster_->inside("keeper", "cat /var/run/secrets/kubernetes.io/serviceaccount/token",
                            "main");
  }

  // A raw connection; anonymous without a certificate.
  static std::unique_ptr<RawClient> connect(int port, const crypto::CertifiedKey* as) {
    return std::make_unique<RawClient>(port, RawClient::Options{.tls = true, .client = as});
  }
  static http::Response get(int port, const crypto::CertifiedKey* as, const std::string& target,
                            const std::string& fields = "") {
    const auto client = connect(port, as);
    client->send("GET " + target + " HTTP/1.1\r\nHost: x\r\n" + fields + "\r\n");
    return client->receive_response();
  }
  static std::string websocket(const std::string& target,
                               const std::string& protocol = "v4.channel.k8s.io") {
    return "GET " + target +
           " HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
           "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
           "Sec-WebSocket-Protocol: " +
           protocol + "\r\n\r\n";
  }
};

constexpr const char* kSpace = "/api/v1/namespaces/default/";

TEST_F(NodePortTest, ProxiesLeadToPodsServicesAndTheNode) {
  const std::string hello = "Hello from hello, run by Proa.";
  const auto raw = [](const std::string& path) {
    return cluster_->kubectl("get --raw '" + path + "'");
  };
  EXPECT_EQ(cluster_->ask("get --raw " + std::string(kSpace) + "pods/hello:8080/proxy/"), hello);
  EXPECT_EQ(cluster_->ask("get --raw " + std::string(kSpace) + "services/hello/proxy/"), hello);
  EXPECT_EQ(cluster_->ask("get --raw " + std::string(kSpace) + "services/http:hello:80/proxy/"),
            hello);
  EXPECT_THAT(raw(std::string(kSpace) + "pods/hello:81/proxy/").text,
              HasSubstr("connection refused"));
  EXPECT_THAT(raw(std::string(kSpace) + "services/none/proxy/").text,
              HasSubstr("\"none\" not found"));
  const std::string on_node = "/api/v1/nodes/" + node();
  EXPECT_EQ(cluster_->ask("get --raw " + on_node + "/proxy/healthz"), "ok");
  EXPECT_EQ(
      cluster_->ask("get --raw " + on_node + ":" + std::to_string(node_port()) + "/proxy/healthz"),
      "ok");
  EXPECT_THAT(cluster_->ask("get --raw " + on_node + "/proxy/configz"),
              HasSubstr(R"("port":)" + std::to_string(node_port())));
  EXPECT_THAT(cluster_->ask("get --raw " + on_node + "/proxy/pods"),
              AllOf(HasSubstr(R"("kind":"PodList")"), HasSubstr(R"("name":"hello")")));
  EXPECT_EQ(cluster_->ask("get --raw " + on_node + "/proxy/containerLogs/default/keeper/main"),
            "ready");
  EXPECT_NE(raw(on_node + "/proxy/none").code, 0);
}

TEST_F(NodePortTest, AWebSocketLeadsIntoAContainer) {
  const crypto::CertifiedKey admin = pair("admin");
  const auto client = connect(api_port(), &admin);
  client->send(
      websocket(std::string(kSpace) + "pods/keeper/exec?stdout=true&command=echo&command=hi"));
  EXPECT_TRUE(client->receive_until("\r\n\r\n").starts_with("HTTP/1.1 101 "));
  // Channel 1 is the output, channel 3 the status.
  EXPECT_THAT(client->receive_until("\"Success\"}"),
              AllOf(HasSubstr("\x01hi\n"), HasSubstr("\x03{")));
}

// The newest protocol, in which a client can close its input.
TEST_F(NodePortTest, AWebSocketCarriesTheEndOfTheInput) {
  const crypto::CertifiedKey admin = pair("admin");
  const auto client = connect(api_port(), &admin);
  client->send(websocket(std::string(kSpace) + "pods/keeper/exec?stdin=1&stdout=1&command=sh&" +
                             "command=-c&command=cat%3Bexit%203",
                         "v5.channel.k8s.io"));
  EXPECT_THAT(client->receive_until("\r\n\r\n"),
              AllOf(StartsWith("HTTP/1.1 101 "),
                    HasSubstr("sec-websocket-protocol: v5.channel.k8s.io\r\n")));
  // With a zero mask: a message on channel 0, and the close of that channel.
  using namespace std::string_literals;
  client->send("\x82\x83\x00\x00\x00\x00\x00hi"s + "\x82\x82\x00\x00\x00\x00\xff\x00"s);
  EXPECT_THAT(client->receive_until(R"("reason":"ExitCode","message":"3")"),
              AllOf(HasSubstr("\x01hi"), HasSubstr("\x03{"), HasSubstr("NonZeroExitCode")));
}

// Whether kubectl's first protocol works, without its fallback.
TEST_F(NodePortTest, KubectlNeedsNoOtherWayThanWebSockets) {
  for (const char* words : {"exec keeper -c main -- true", "exec -i keeper -c main -- cat"}) {
    SCOPED_TRACE(words);
    const e2e::Outcome outcome = cluster_->kubectl(std::string("-v=4 ") + words, "input");
    EXPECT_EQ(outcome.code, 0) << outcome.text;
    EXPECT_THAT(outcome.text, Not(HasSubstr("fallback")));
  }
  const e2e::TemporaryFolder folder;
  const std::string output = folder.file("output", "");
  const std::string port = std::to_string(testkit::free_port());
  testkit::Process forward(
      {"env", "KUBECONFIG=" + cluster_->kubeconfig(), Cluster::newest_kubectl(), "-v=4",
       "port-forward", "hello", port + ":8080"},
      output);
  ASSERT_TRUE(testkit::wait_for_port(std::stoi(port)));
  EXPECT_EQ(e2e::run_shell("curl -sS -m 10 http://127.0.0.1:" + port).text,
            "Hello from hello, run by Proa.\n");
  EXPECT_THAT(e2e::run_shell("cat " + output).text, Not(HasSubstr("fallback")));
}

TEST_F(NodePortTest, NodesAreLookedInto) {
  const e2e::Outcome outcome = cluster_->kubectl(
      "debug node/" + node() + " --image=busybox:1 --profile=general --attach -- " +
      "sh -c 'sleep 1; chroot /host /bin/sh -c \"test -d " + cluster_->data_dir() +
      " && echo found\"; ls -d /proc/1/root >/dev/null && hostname'");
  EXPECT_EQ(outcome.code, 0) << outcome.text;
  EXPECT_THAT(outcome.text, HasSubstr("found\n"));
}

TEST_F(NodePortTest, DebugContainersAreAttachedTo) {
  const e2e::Outcome plain = cluster_->kubectl(
      "debug keeper --image=busybox:1 -c look --target=main --attach -- "
      "sh -c 'sleep 1; ls /proc/1/root/keys; echo seen'");
  EXPECT_EQ(plain.code, 0);
  EXPECT_THAT(plain.text, HasSubstr("key\nseen\n"));
  Terminal terminal({"env", "KUBECONFIG=" + cluster_->kubeconfig(), Cluster::newest_kubectl(),
                     "debug", "-it", "keeper", "--image=busybox:1", "-c", "talk", "--", "sh"},
                    {.rows = 20, .columns = 70});
  terminal.type("\n");  // the prompt may have been printed before we connected
  ASSERT_TRUE(terminal.shows("# ")) << terminal.shown();
  terminal.type("hostname; exit\n");
  EXPECT_TRUE(terminal.shows("\nkeeper\r\n")) << terminal.shown();
  terminal.end();
}

TEST_F(NodePortTest, OpensToNobodyWithoutARight) {
  const crypto::CertifiedKey nobody = signed_by(pair("authority"), "nobody");
  const crypto::CertifiedKey stranger = signed_by(other_authority(), "admin");
  const int port = node_port();
  for (const char* path :
       {"/healthz", "/pods", "/configz", "/containerLogs/default/keeper/main",
        "/exec/default/keeper/main?output=1&command=id", "/run/default/keeper/main", "/logs/",
        "/metrics", "/debug/pprof/", "/none", "/"}) {
    SCOPED_TRACE(path);
    EXPECT_EQ(get(port, nullptr, path).status, 401);
    EXPECT_EQ(get(port, nullptr, path, "Authorization: Bearer none\r\n").status, 401);
    EXPECT_EQ(get(port, nullptr, path, "X-Remote-User: admin\r\n").status, 401);
    EXPECT_EQ(get(port, &stranger, path).status, 401);
    EXPECT_EQ(get(port, &nobody, path).status, 403);
    EXPECT_EQ(get(port, &nobody, path, "Impersonate-User: admin\r\n").status, 403);
  }
  // A pod's identity has no more access either.
  const std::string token = token_of_keeper();
  EXPECT_EQ(get(port, nullptr, "/pods", "Authorization: Bearer " + token + "\r\n").status, 403);
}

TEST_F(NodePortTest, TakesMoreThanARightToLookForExec) {
  cluster_->ask("create clusterrole looker --verb=get --resource=nodes/proxy");
  cluster_->ask("create clusterrolebinding looker --clusterrole=looker --user=looker");
  const crypto::CertifiedKey looker = signed_by(pair("authority"), "looker");
  EXPECT_EQ(get(node_port(), &looker, "/containerLogs/default/keeper/main").status, 200);
  const std::string exec = "/exec/default/keeper/main?output=1&command=id";
  for (const auto& [port, target] :
       {std::pair(node_port(), exec),
        std::pair(api_port(), "/api/v1/nodes/" + node() + "/proxy" + exec)}) {
    SCOPED_TRACE(target);
    const auto client = connect(port, &looker);
    client->send(websocket(target));
    EXPECT_EQ(client->receive_response().status, 403);
  }
}

TEST_F(NodePortTest, HasNoPathsThatLeadOut) {
  const crypto::CertifiedKey admin = pair("admin");
  struct Case {
    const char* target;
    int status;
  };
  const Case at_node[] = {
      {"/logs/../../etc/passwd", 404},
      {"/pods/../healthz", 404},
      {"/containerLogs/default/keeper/..%2f..%2fmain", 404},
      {"/containerLogs/default/..%2fkeeper/main", 404},
      {"/containerLogs/..%2fdefault/keeper/main", 404},
      {"/containerLogs/default/keeper/main%00", 400},
  };
  for (const Case& c : at_node) {
    SCOPED_TRACE(c.target);
    EXPECT_EQ(get(node_port(), &admin, c.target).status, c.status);
  }
  const Case at_server[] = {
      {"pods/..%2f..%2fkeeper/log", 404},
      {"pods/../secrets/keys", 404},
      {"pods/keeper%00/log", 400},
      {"pods/%2e%2e/log", 400},
      {"pods/keeper/log?container=..%2fmain", 400},
  };
  for (const Case& c : at_server) {
    SCOPED_TRACE(c.target);
    EXPECT_EQ(get(api_port(), &admin, kSpace + std::string(c.target)).status, c.status);
  }
  EXPECT_EQ(get(api_port(), &admin, "/api/v1/nodes/..%2fx/proxy/healthz").status, 404);
  EXPECT_EQ(get(api_port(), &admin, "/api/v1/nodes/" + node() + "/proxy/../../pods").status, 404);
}

TEST_F(NodePortTest, NeitherFollowsNorForgetsWhoSendsItElsewhere) {
  const crypto::CertifiedKey admin = pair("admin");
  const std::string away = std::string(kSpace) + "pods/rogue:8080/proxy/cgi-bin/away";
  const http::Response redirected = get(api_port(), &admin, away);
  EXPECT_EQ(redirected.status, 302);
  EXPECT_EQ(redirected.headers.get("location"), "http://169.254.169.254/keys");
  // A backend that does not switch receives nothing of what follows.
  const auto client = connect(api_port(), &admin);
  client->send(websocket(away) + "GET /cgi-bin/away?smuggled HTTP/1.1\r\nHost: x\r\n\r\n");
  const http::Response refused = client->receive_response();
  EXPECT_EQ(refused.status, 500);
  EXPECT_THAT(refused.body.str(), HasSubstr("invalid upgrade response: status code 302"));
  EXPECT_EQ(client->receive_response().status, 404);  // an ordinary API request
  EXPECT_EQ(cluster_->inside("rogue", "cat /asked"), "GET /cgi-bin/away\nGET /cgi-bin/away");
}

// And those of DNS: 53 at the cluster's DNS address, and metrics, which are for the cluster.
TEST_F(NodePortTest, IsTheOnlyDoorBesideTheApi) {
  const std::string all = e2e::run_shell("ss -ltnpH").text;
  const size_t line = all.find(":" + std::to_string(api_port()) + " ");
  ASSERT_NE(line, std::string::npos) << all;
  const size_t pid = all.find("pid=", line);
  const std::string process = all.substr(pid, all.find(',', pid) - pid);
  const std::string own =
      e2e::run_shell("ss -ltnpH | grep '" + process +
                     ",' | awk '{print $4}' | sed 's/.*://' | sort -n | uniq | xargs")
          .text;
  std::vector<int> ports{53, 9153, api_port(), node_port()};
  std::sort(ports.begin(), ports.end());
  std::string expected;
  for (const int port : ports) expected += std::to_string(port) + " ";
  expected.back() = '\n';
  EXPECT_EQ(own, expected);
  EXPECT_EQ(e2e::run_shell("ss -ltunpH 'sport = 53' | grep '" + process +
                           ",' | awk '{print $5}' | sort -u")
                .text,
            "10.96.0.10:53\n");
  // Ports that only listen on loopback are not reachable from pods.
  const std::string bridge =
      std::filesystem::path(cluster_->socket()).parent_path().filename().string();
  EXPECT_EQ(e2e::run_shell("cat /proc/sys/net/ipv4/conf/" + bridge + "/route_localnet").text,
            "0\n");
}

TEST_F(NodePortTest, TellsNobodyWhatSecretsSay) {
  EXPECT_EQ(cluster_->inside("keeper", "echo $KEY; cat /keys/key", "main"),
            std::string(kCanary) + "\n" + kCanary);
  const std::string token = token_of_keeper();
  ASSERT_GT(token.size(), 100U);
  for (const std::string& secret : {std::string(kCanary), token.substr(token.rfind('.'))}) {
    EXPECT_EQ(cluster_->said().find(secret), std::string::npos);
    EXPECT_THAT(cluster_->ask("get events -o json"), Not(HasSubstr(secret)));
    EXPECT_THAT(cluster_->ask("get --raw /api/v1/nodes/" + node() + "/proxy/pods"),
                Not(HasSubstr(secret)));
  }
}

}  // namespace
}  // namespace proa::node_tests
