#include "kubelet/pod/handlers/probes/probe_action.h"

#include <gtest/gtest.h>

#include "base/strings.h"
#include "http/wire/grpc_frame.h"
#include "json/parse.h"
#include "kubelet/pod/handlers/probes/probe_events.h"
#include "testkit/fake_clock.h"
#include "testkit/http/test_server.h"
#include "testkit/kubelet/fake_runtime.h"
#include "testkit/kubelet/recorded_events.h"

namespace proa::kubelet {
namespace {

using namespace std::chrono_literals;

class ProbeActionsTest : public testing::Test {
 protected:
  // What a probe of that handler finds.
  ProbeOutcome run(const std::string& probe, const std::string& container_more = {}) {
    const std::string text =
        R"({"metadata":{"name":"p","namespace":"d","uid":"u"},"spec":{"containers":[{"name":"web",)" +
        container_more + R"("livenessProbe":)" + probe + "}]}}";
    pod_ = *Pod::read(api::Object::make(text), Pod::Source::kApi);
    const api::View container = pod_->spec()["containers"].item(0);
    ProbeActions actions(runtime, client, clock);
    return actions.run({*pod_, container, container["livenessProbe"], id, "127.0.0.1"}, {});
  }
  void start_container() {
    json::Document sandbox = *json::parse(R"({"metadata":{"name":"p","namespace":"d","uid":"u"}})");
    const std::string sandbox_id = *runtime.run_sandbox(sandbox.root(), "", {});
    json::Document config = *json::parse(R"({"metadata":{"name":"web"},"image":{"image":"i"}})");
    runtime.add_image("i");
    id = *runtime.create_container(sandbox_id, config.root(), sandbox.root(), {});
    ASSERT_TRUE(runtime.start_container(id, {}).ok());
  }

  SystemClock clock;
  testkit::FakeRuntime runtime{clock};
  http::LoopGroup loops{1};
  http::Client client{loops, clock, {}};
  std::string id = "none";

 private:
  PodPtr pod_;
};

TEST_F(ProbeActionsTest, ExecByItsExitCode) {
  start_container();
  runtime.answer_exec("check yes", {"fine", "", 0});
  runtime.answer_exec("check no", {"out", "err", 1});
  ProbeOutcome outcome = run(R"x({"exec":{"command":["check","$(ANSWER)"]}})x",
                             R"("env":[{"name":"ANSWER","value":"yes"}],)");
  EXPECT_EQ(outcome.kind, ProbeOutcome::Kind::kSuccess);
  EXPECT_EQ(outcome.output, "fine");
  outcome = run(R"({"exec":{"command":["check","no"]}})");
  EXPECT_EQ(outcome.kind, ProbeOutcome::Kind::kFailure);
  EXPECT_EQ(outcome.output, "outerr");
  runtime.fail_next("exec", Status(Reason::kTimeout, "late"));
  outcome = run(R"({"timeoutSeconds":2,"exec":{"command":["check","no"]}})");
  EXPECT_EQ(outcome.kind, ProbeOutcome::Kind::kFailure);
  EXPECT_EQ(outcome.output, "command timed out: \"check no\" timed out after 2s");
}

TEST_F(ProbeActionsTest, WhatCantBeCarriedOutIsTriedThreeTimes) {
  const ProbeOutcome outcome = run(R"({"exec":{"command":["check"]}})");
  EXPECT_EQ(outcome.kind, ProbeOutcome::Kind::kUnknown);
  EXPECT_FALSE(outcome.error.empty());
  EXPECT_EQ(runtime.calls().size(), 3u);
  EXPECT_EQ(run("{}").error, "missing probe handler for p_d(u):web");
  EXPECT_EQ(run(R"({"tcpSocket":{"port":"x"}})").error,
            "strconv.Atoi: parsing \"x\": invalid syntax");
}

TEST_F(ProbeActionsTest, HttpByItsCode) {
  testkit::TestServer server(
      [](http::ExchangePtr exchange) {
        const int code = static_cast<int>(*parse_int(exchange->request().target.substr(1)));
        exchange->respond({code, {}, Bytes::of_static("secret"), {}});
      },
      false);
  struct Case {
    int code;
    ProbeOutcome::Kind kind;
    std::string_view output;
  };
  using Kind = ProbeOutcome::Kind;
  for (const Case& c :
       {Case{200, Kind::kSuccess, "secret"}, Case{299, Kind::kSuccess, "secret"},
        Case{300, Kind::kWarning, "Probe terminated redirects, Response body: secret"},
        Case{400, Kind::kFailure, "HTTP probe failed with statuscode: 400"},
        Case{503, Kind::kFailure, "HTTP probe failed with statuscode: 503"}}) {
    SCOPED_TRACE(c.code);
    const auto outcome = run(R"({"httpGet":{"path":"/)" + std::to_string(c.code) + R"(","port":)" +
                             std::to_string(server.port()) + "}}");
    EXPECT_EQ(outcome.kind, c.kind);
    EXPECT_EQ(outcome.output, c.output);
  }
}

TEST_F(ProbeActionsTest, TcpByWhetherSomebodyListens) {
  testkit::TestServer server(testkit::echo, false);
  EXPECT_EQ(run(R"({"tcpSocket":{"port":)" + std::to_string(server.port()) + "}}").kind,
            ProbeOutcome::Kind::kSuccess);
  const auto refused = run(R"({"tcpSocket":{"port":1}})");
  EXPECT_EQ(refused.kind, ProbeOutcome::Kind::kFailure);
  EXPECT_EQ(refused.output, "dial tcp 127.0.0.1:1: connect: connection refused");
}

TEST_F(ProbeActionsTest, GrpcByTheStatusOfTheService) {
  testkit::TestServer server(
      [](http::ExchangePtr exchange) {
        exchange->read_body([exchange](Result<Bytes> body) {
          const bool is_known = body.ok() && body->view().find("db") != std::string_view::npos;
          http::Response response{200, {{"content-type", "application/grpc"}}, {}, {}};
          if (is_known) response.body = Bytes(http::print_grpc_frame("\x08\x01"));
          response.trailers.add("grpc-status", is_known ? "0" : "12");
          response.trailers.add("grpc-message", is_known ? "" : "unknown method");
          exchange->respond(std::move(response));
        });
      },
      false);
  const std::string port = std::to_string(server.port());
  EXPECT_EQ(run(R"({"grpc":{"service":"db","port":)" + port + "}}").output, "service healthy");
  EXPECT_EQ(run(R"({"grpc":{"port":)" + port + "}}").output,
            "error: this server does not implement the grpc health protocol "
            "(grpc.health.v1.Health): unknown method");
  EXPECT_EQ(run(R"({"grpc":{"port":1}})").output,
            "timeout: failed to connect service \"127.0.0.1:1\" within 1s: context deadline "
            "exceeded");
}

TEST(TellOfProbe, SaysWhatUpstreamSays) {
  testkit::FakeClock clock;
  testkit::RecordedEvents events(clock);
  const PodPtr pod = *Pod::read(
      api::Object::make(
          R"({"metadata":{"name":"p","namespace":"d","uid":"u"},"spec":{)"
          R"("containers":[{"name":"web"}],"initContainers":[{"name":"side","restartPolicy":"Always"}]}})"),
      Pod::Source::kApi);
  const auto web = *find_container(*pod, "web");
  tell_of_probe(events.recorder(), *pod, web, ProbeKind::kLiveness, ProbeOutcome::failure("no"));
  tell_of_probe(events.recorder(), *pod, web, ProbeKind::kStartup, ProbeOutcome::unknown("gone"));
  tell_of_probe(events.recorder(), *pod, web, ProbeKind::kLiveness, ProbeOutcome::success("yes"));
  tell_of_probe(events.recorder(), *pod, *find_container(*pod, "side"), ProbeKind::kReadiness,
                {ProbeOutcome::Kind::kWarning, "moved", {}});
  EXPECT_EQ(events.take(),
            (std::vector<std::string>{
                "Warning Unhealthy spec.containers{web} Liveness probe failed: no",
                "Warning Unhealthy spec.containers{web} Startup probe errored and resulted in "
                "unknown state: gone",
                "Warning ProbeWarning spec.initContainers{side} Readiness probe warning: moved"}));
  EXPECT_EQ(verdict_of(ProbeOutcome::unknown("x")), std::nullopt);
  EXPECT_EQ(verdict_of({ProbeOutcome::Kind::kWarning, "x", {}}), true);
}

}  // namespace
}  // namespace proa::kubelet
