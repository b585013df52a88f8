#include "kubelet/node/server/node_server.h"

#include <gtest/gtest.h>

#include <semaphore>

#include "json/parse.h"
#include "kubelet/node/server/log_files.h"
#include "testkit/http/inbox.h"
#include "testkit/http/raw_client.h"
#include "testkit/http/scripted_server.h"
#include "testkit/http/test_server.h"
#include "testkit/kubelet/scripted_reviews.h"
#include "testkit/kubelet/stub_runtime.h"
#include "testkit/kubelet/test_machine.h"

namespace proa::kubelet {
namespace node_server_test {

using testkit::RawClient;

constexpr const char* kPod =
    R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","namespace":"default",)"
    R"("uid":"u1","resourceVersion":"1"},"spec":{"containers":[{"name":"a","tty":true}]},)"
    R"("status":{"podIP":"127.0.0.1","containerStatuses":[{"name":"a","containerID":"containerd://c1",)"
    R"("state":{"running":{}}}]}})";

class OnePod final : public PodDirectory {
 public:
  PodPtr find(std::string_view name_space, std::string_view name) const override {
    return name_space == "default" && name == "web" ? pod_ : nullptr;
  }
  std::vector<PodPtr> all() const override { return {pod_}; }
  std::shared_ptr<const json::Document> status(const Pod& /*pod*/) const override {
    return nullptr;
  }

 private:
  const PodPtr pod_ = Pod::read(api::Object::make(kPod), Pod::Source::kApi).value();
};

// Streams from a server of the test's.
class StreamingRuntime final : public StubRuntime {
 public:
  Result<std::vector<cri::Container>> containers(const cri::ContainerFilter& filter,
                                                 const Until& /*until*/) override {
    if (!filter.pod_uid.empty() && filter.pod_uid != "u1") return std::vector<cri::Container>();
    cri::Container container;
    container.id = "c1";
    container.name = "a";
    container.state = cri::ContainerState::kRunning;
    return std::vector<cri::Container>{container};
  }
  Result<std::vector<cri::Sandbox>> sandboxes(api::UidView, const Until&) override {
    cri::Sandbox sandbox;
    sandbox.id = "s1";
    sandbox.state = cri::SandboxState::kReady;
    return std::vector<cri::Sandbox>{sandbox};
  }
  Result<std::string> exec_url(const std::string& id, const std::vector<std::string>& command,
                               const cri::StreamChoices&, const Until&) override {
    std::string path = "/exec/" + id;
    for (const std::string& word : command) path += "/" + word;
    return base + path;
  }
  Result<std::string> attach_url(const std::string& id, const cri::StreamChoices& choices,
                                 const Until&) override {
    return base + "/attach/" + id + (choices.tty ? "/tty" : "");
  }
  Result<std::string> port_forward_url(const std::string& id, const std::vector<int32_t>&,
                                       const Until&) override {
    return base + "/forward/" + id;
  }
  Result<cri::Container> container(const std::string& id, const Until&) override {
    cri::Container container;
    container.id = id;
    container.attempt = attempt;
    container.state = state;
    if (id != "c1") return Status(Reason::kNotFound, "no such container");
    return container;
  }
  std::string base;
  uint32_t attempt = 0;
  cri::ContainerState state = cri::ContainerState::kExited;
};

// Switches, says which path was asked for, then sends back what it gets.
class Echo final : public http::Socket::Events {
 public:
  explicit Echo(std::unique_ptr<http::Socket> socket) : socket_(std::move(socket)) {}
  void start(const std::string& first) {
    socket_->write(Bytes(std::string(first)));
    socket_->flush();
    socket_->set_events(*this);
  }
  void on_data(std::string_view bytes) override {
    socket_->write(Bytes("<" + std::string(bytes) + ">"));
    socket_->flush();
  }
  void on_end() override { delete this; }
  void on_closed(const Status&) override { delete this; }

 private:
  std::unique_ptr<http::Socket> socket_;
};

void stream(const http::ExchangePtr& exchange) {
  const std::string path = exchange->request().target;
  exchange->upgrade({{"upgrade", "SPDY/3.1"}, {"x-stream-protocol-version", "v4.channel.k8s.io"}},
                    [path](std::unique_ptr<http::Socket> socket, const std::string& early) {
                      (new Echo(std::move(socket)))->start("[" + path + early + "]");
                    });
}

// A log that says nothing for as long as somebody reads it.
class SilentLog final : public LogText {
 public:
  Result<std::optional<std::string>> next(const Until& until) override {
    std::binary_semaphore stopped{0};
    const std::stop_callback stop(until.stop, [&] { stopped.release(); });
    stopped.acquire();
    return std::optional<std::string>();
  }
};

struct Bench {
  explicit Bench(LogOpener open_log = nullptr) {
    options.node_name = api::NodeName("n1");
    options.logs = machine.path() + "/pods";
    options.system_logs = machine.path();
    machine.write("/pods/default_web_u1/a/0.log",
                  "2026-01-02T15:04:05Z stdout F line 1\n2026-01-02T15:04:06Z stderr F line 2\n");
    runtime.base = "http://127.0.0.1:" + std::to_string(streaming.port());
    server =
        NodeServer::make({.client = judge,
                          .schema = api::builtin_schema(),
                          .clock = judge.clock,
                          .random = judge.random,
                          .runtime = runtime,
                          .http = client,
                          .pods = pods,
                          .options = options,
                          .open_log = open_log ? std::move(open_log)
                                               : open_log_files(real_clock, files, runtime, paths),
                          .client_authority_pem = testkit::test_authority().certificate_pem,
                          .healthy = [this] { return health; }})
            .value();
    listening = std::make_unique<http::Server>(loops, *server);
    port = listening->listen({"127.0.0.1", 0, {}}).value().port;
  }

  // One request with alice's token.
  http::Response ask(const std::string& method, const std::string& target,
                     const std::string& headers = "Authorization: Bearer good\r\n") const {
    RawClient raw(port);
    raw.send(method + " " + target + " HTTP/1.1\r\nHost: n\r\n" + headers + "\r\n");
    return raw.receive_response();
  }
  std::string body(const std::string& target) const {
    return std::string(ask("GET", target).body.view());
  }

  TestMachine machine;  // for its folder
  SystemFiles files;
  testkit::ScriptedReviews judge;
  SystemClock real_clock;
  testkit::TestServer streaming{stream, false};
  StreamingRuntime runtime;
  OnePod pods;
  KubeletOptions options;
  Paths paths{machine.path(), machine.path() + "/pods"};
  http::LoopGroup loops{2};
  http::Client client{loops, real_clock, {}};
  Result<void> health;
  std::unique_ptr<NodeServer> server;
  std::unique_ptr<http::Server> listening;
  int port = 0;
};

constexpr const char* kSpdy =
    "Authorization: Bearer good\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n"
    "X-Stream-Protocol-Version: v4.channel.k8s.io\r\n";

}  // namespace node_server_test

using node_server_test::Bench;
using node_server_test::kSpdy;
using testkit::RawClient;

TEST(NodeServer, TurnsStrangersAway) {
  const Bench bench;
  for (const char* path : {"/healthz", "/pods", "/nothing", "/exec/default/web/a?output=1"}) {
    SCOPED_TRACE(path);
    EXPECT_EQ(bench.ask("GET", path, "").status, 401);
    EXPECT_EQ(bench.ask("GET", path, "Authorization: Bearer bad\r\n").status, 401);
  }
}

TEST(NodeServer, TakesNobodysWordForWhoCalls) {
  Bench bench;
  const std::string spoofed =
      "X-Remote-User: admin\r\nX-Remote-Group: system:masters\r\nImpersonate-User: admin\r\n";
  EXPECT_EQ(bench.ask("GET", "/pods", spoofed).status, 401);
  bench.judge.allowed = "none";
  const http::Response response =
      bench.ask("GET", "/pods", spoofed + "Authorization: Bearer good\r\n");
  EXPECT_EQ(response.status, 403);
  EXPECT_NE(response.body.view().find("user=alice"), std::string_view::npos);
}

TEST(NodeServer, TurnsAwayThoseWhoMayNot) {
  Bench bench;
  bench.judge.allowed = "stats";
  const http::Response response = bench.ask("GET", "/pods");
  EXPECT_EQ(response.status, 403);
  EXPECT_EQ(response.body.view(),
            "Forbidden (user=alice, verb=get, resource=nodes, subresource(s)=[pods proxy])\n");
}

TEST(NodeServer, SaysWhenItCanNotTell) {
  Bench bench;
  EXPECT_EQ(bench.ask("GET", "/healthz").status, 200);
  bench.judge.broken = true;
  EXPECT_EQ(bench.ask("GET", "/stats").status, 500);
  EXPECT_EQ(bench.ask("GET", "/healthz", "Authorization: Bearer other\r\n").status, 401);
}

TEST(NodeServer, ServesTheLogsOfTheMachine) {
  Bench bench;
  bench.judge.allowed = "log";
  EXPECT_NE(bench.body("/logs/").find("<a href=\"pods/\">pods/</a>"), std::string::npos);
  EXPECT_EQ(bench.ask("GET", "/logs").headers.get("location"), "logs/");
  EXPECT_EQ(bench.ask("GET", "/logs/pods/default_web_u1").headers.get("location"),
            "default_web_u1/");
  EXPECT_NE(bench.body("/logs/pods/default_web_u1/a/0.log").find("F line 2\n"), std::string::npos);
  EXPECT_EQ(bench.ask("GET", "/logs/../etc/passwd").status, 404);
  // What else is allowed does not suffice.
  EXPECT_EQ(Bench().ask("GET", "/logs/").status, 403);
}

TEST(NodeServer, AnswersSimpleQuestions) {
  Bench bench;
  EXPECT_EQ(bench.body("/healthz"), "ok");
  EXPECT_EQ(bench.body("/healthz/syncloop"), "ok");
  bench.health = Status(Reason::kInternalError, "stuck");
  EXPECT_EQ(bench.ask("GET", "/healthz").status, 500);
  EXPECT_EQ(bench.ask("GET", "/healthz/ping").status, 200);
  const json::Document pods = json::parse(bench.body("/pods")).value();
  EXPECT_EQ(api::View(pods.root())["kind"].text(), "PodList");
  EXPECT_EQ(api::View(pods.root())["items"].item(0)["metadata"]["name"].text(), "web");
  const json::Document config = json::parse(bench.body("/configz")).value();
  EXPECT_EQ(api::View(config.root())["kubeletconfig"]["maxPods"].integer(), 110);
  EXPECT_EQ(bench.ask("GET", "/nothing").status, 404);
  EXPECT_EQ(bench.ask("POST", "/pods").status, 405);
}

TEST(NodeServer, MeasuresItself) {
  Bench bench;
  bench.judge.allowed = "metrics";
  const std::string text = bench.body("/metrics");
  for (const char* line :
       {"# TYPE kubelet_running_pods gauge\n", "\nkubelet_running_pods 1\n",
        "kubelet_node_name{node=\"n1\"} 1\n", "kubelet_desired_pods{static=\"\"} 1\n",
        "kubelet_running_containers{container_state=\"running\"} 1\n",
        "# TYPE process_resident_memory_bytes gauge\n"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  }
}

TEST(NodeServer, HasNoPathThatLeadsElsewhere) {
  struct Case {
    const char* target;
    int status;
  };
  const Case cases[] = {
      {"/%70ods", 200},
      {"/pods/", 200},
      {"/pods/../healthz", 404},
      {"/pods/x", 404},
      {"/configz/x", 404},
      {"//pods", 404},
      {"/./pods", 404},
      {"/healthz/../pods", 404},
      {"/healthz%2f..%2fpods", 404},
      {"/pods%00", 400},
      {"/logs/../../etc/passwd", 403},  // for which alice has no right
      {"/containerLogs/default/web/..", 404},
      {"/containerLogs/default/web/..%2fa", 404},
      {"/containerLogs/default/web/a%2f..%2fa", 404},
      {"/containerLogs/default/web/a/../a", 404},
      {"/containerLogs/default/..%2fweb/a", 404},
      {"/containerLogs/..%2fdefault/web/a", 404},
      {"/containerLogs/default/web/a%00", 400},
      {"/debug/pprof/", 404},
      {"/run/default/web/a?cmd=id", 404},
  };
  const Bench bench;
  for (const Case& c : cases) {
    SCOPED_TRACE(c.target);
    EXPECT_EQ(bench.ask("GET", c.target).status, c.status);
  }
}

TEST(NodeServer, SendsLogs) {
  Bench bench;
  EXPECT_EQ(bench.body("/containerLogs/default/web/a"), "line 1\nline 2\n");
  EXPECT_EQ(bench.body("/containerLogs/default/web/a?follow=true&stream=Stderr"), "line 2\n");
  EXPECT_EQ(bench.body("/containerLogs/default/web/a?tailLines=1"), "line 2\n");
  EXPECT_EQ(bench.body("/containerLogs/default/other/a"), R"(pod "other" does not exist)");
  EXPECT_EQ(bench.body("/containerLogs/default/web/b"), R"(container "b" not found in pod "web")");
  EXPECT_EQ(bench.ask("GET", "/containerLogs/default/web/b").status, 404);
  EXPECT_EQ(bench.ask("GET", "/containerLogs/default/web/a?previous=true").status, 400);
  EXPECT_EQ(bench.ask("GET", "/containerLogs/default/web/a?tailLines=-1").status, 422);
  EXPECT_EQ(bench.ask("GET", "/containerLogs/default/web").status, 404);
  bench.runtime.attempt = 1;  // whose file is not there
  EXPECT_EQ(bench.ask("GET", "/containerLogs/default/web/a").status, 400);
}

TEST(NodeServer, EndsWhileSomebodyFollowsALog) {
  Bench bench;
  bench.runtime.state = cri::ContainerState::kRunning;
  RawClient raw(bench.port);
  raw.send(
      "GET /containerLogs/default/web/a?follow=true HTTP/1.1\r\nHost: n\r\n"
      "Authorization: Bearer good\r\n\r\n");
  raw.receive_until("line 2\n");
  bench.listening.reset();
  bench.server.reset();  // waits for nothing
}

TEST(NodeServer, AnswersOthersWhileManyFollowLogs) {
  Bench bench([](const LogPlace&, const LogQuery&) {
    return std::unique_ptr<LogText>(std::make_unique<node_server_test::SilentLog>());
  });
  std::vector<std::unique_ptr<RawClient>> readers;
  for (int i = 0; i < 300; ++i) {  // more than any other work has threads
    readers.push_back(std::make_unique<RawClient>(bench.port));
    readers.back()->send(
        "GET /containerLogs/default/web/a?follow=true HTTP/1.1\r\nHost: n\r\n"
        "Authorization: Bearer good\r\n\r\n");
  }
  for (const auto& reader : readers) {
    EXPECT_TRUE(reader->receive_until("\r\n\r\n").starts_with("HTTP/1.1 200 "));
  }
  EXPECT_EQ(bench.body("/healthz"), "ok");
}

TEST(NodeServer, TiesClientsToTheRuntime) {
  struct Case {
    const char* request;
    const char* first;
  };
  const Case cases[] = {
      {"POST /exec/default/web/a?output=1&command=ls&command=x", "[/exec/c1/ls/x"},
      {"GET /exec/default/web/u1/a?output=1&command=ls", "[/exec/c1/ls"},
      {"POST /attach/default/web/a?output=1", "[/attach/c1/tty"},
      {"POST /portForward/default/web", "[/forward/s1"},
  };
  const Bench bench;
  for (const Case& c : cases) {
    SCOPED_TRACE(c.request);
    RawClient raw(bench.port);
    raw.send(std::string(c.request) + " HTTP/1.1\r\nHost: n\r\n" + kSpdy + "\r\n");
    const std::string head = raw.receive_until("\r\n\r\n");
    EXPECT_TRUE(head.starts_with("HTTP/1.1 101 ")) << head;
    EXPECT_NE(head.find("x-stream-protocol-version: v4.channel.k8s.io"), std::string::npos);
    EXPECT_EQ(raw.receive_until("]"), std::string(c.first) + "]");
    raw.send("hello");
    EXPECT_EQ(raw.receive_until(">"), "<hello>");
    raw.end();
    EXPECT_EQ(raw.receive_all(), "");
  }
}

TEST(NodeServer, RefusesStreamsThatCanNotBe) {
  const Bench bench;
  const std::string websocket =
      "Authorization: Bearer good\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
      "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
      "Sec-WebSocket-Protocol: v5.channel.k8s.io\r\n";
  struct Case {
    const char* target;
    std::string headers;
    int status;
  };
  const Case cases[] = {
      {"/exec/default/web/a?output=1", "Authorization: Bearer good\r\n", 400},
      {"/exec/default/web/a", kSpdy, 400},
      {"/exec/default/other/a?output=1", kSpdy, 404},
      {"/exec/default/web/other-uid/a?output=1", kSpdy, 404},
      {"/exec/default/web/b?output=1", kSpdy, 500},
      {"/exec/default/web/a?output=1", websocket, 400},
      {"/portForward/default/web", websocket, 400},
      {"/exec/default?output=1", kSpdy, 404},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.target);
    EXPECT_EQ(bench.ask("GET", c.target, c.headers).status, c.status);
  }
}

constexpr const char* kTunnel =
    "Authorization: Bearer good\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n";

TEST(NodeServer, OpensTunnelsToItsPods) {
  const Bench bench;
  testkit::TestServer pod(testkit::echo, false);
  RawClient raw(bench.port);
  raw.send("POST /tunnel/default/web/" + std::to_string(pod.port()) + " HTTP/1.1\r\nHost: n\r\n" +
           kTunnel + "\r\n");
  EXPECT_TRUE(raw.receive_until("\r\n\r\n").starts_with("HTTP/1.1 101 "));
  raw.send("GET /x HTTP/1.1\r\nHost: web\r\n\r\n");
  EXPECT_EQ(raw.receive_response().body.view(), "hello");
}

TEST(NodeServer, OpensNoOtherTunnels) {
  const Bench bench;
  struct Case {
    const char* target;
    int status;
  };
  const Case cases[] = {{"/tunnel/default/web/1", 503},      {"/tunnel/default/other/80", 503},
                        {"/tunnel/default/web/0", 400},      {"/tunnel/default/web/65536", 400},
                        {"/tunnel/default/web/http", 400},   {"/tunnel/default/web", 400},
                        {"/tunnel/default/web/80/more", 400}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.target);
    EXPECT_EQ(bench.ask("POST", c.target, kTunnel).status, c.status);
  }
  EXPECT_EQ(bench.ask("POST", "/tunnel/default/web/80").status, 400);
  Bench strict;  // answers are cached
  strict.judge.allowed = "none";
  EXPECT_EQ(strict.ask("POST", "/tunnel/default/web/80", kTunnel).status, 403);
}

TEST(NodeServer, PassesOnThatTheRuntimeRefused) {
  Bench bench;
  bench.runtime.base = "http://127.0.0.1:1";
  EXPECT_EQ(bench.ask("POST", "/exec/default/web/a?output=1", kSpdy).status, 503);
  bench.runtime.base = "http://10.0.0.1:80";
  EXPECT_EQ(bench.ask("POST", "/exec/default/web/a?output=1", kSpdy).status, 500);
}

TEST(NodeServer, LeavesNoConnectionToARuntimeThatDoesNotSwitch) {
  struct Case {
    const char* answer;
    int status;
  };
  const Case cases[] = {
      {"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", 500},
      {"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n", 500},
      {"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n", 500},
      {"HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno", 404},
  };
  Bench bench;
  for (const Case& c : cases) {
    SCOPED_TRACE(c.answer);
    testkit::Inbox<std::string> behind;
    testkit::ScriptedServer runtime([&](testkit::ScriptedPeer& peer, int) {
      peer.receive_until("\r\n\r\n");
      peer.send(c.answer);
      behind.put(peer.receive_all());
    });
    bench.runtime.base = runtime.origin().str();
    RawClient raw(bench.port);
    // A second request, in the hope that the runtime gets it, which asks nobody who he is.
    raw.send(std::string("POST /exec/default/web/a?output=1 HTTP/1.1\r\nHost: n\r\n") + kSpdy +
             "\r\nGET /smuggled HTTP/1.1\r\nHost: n\r\n\r\n");
    EXPECT_EQ(raw.receive_response().status, c.status);
    EXPECT_EQ(behind.take(), "");
    EXPECT_EQ(runtime.accepted(), 1);
    // To us it is a request like any other, of nobody.
    EXPECT_EQ(raw.receive_response().status, 401);
  }
}

}  // namespace proa::kubelet
