#include "kubelet/pod/handlers/hooks.h"

#include <gtest/gtest.h>

#include <thread>

#include "json/parse.h"
#include "testkit/fake_clock.h"
#include "testkit/http/scripted_server.h"
#include "testkit/http/test_server.h"
#include "testkit/kubelet/fake_runtime.h"
#include "testkit/kubelet/recorded_events.h"

namespace proa::kubelet {
namespace {

using namespace std::chrono_literals;

class HooksTest : public testing::Test {
 protected:
  // Empty: it went well.
  std::string run(const std::string& handler, const Until& until = {}) {
    const auto document = *json::parse(handler);
    Hooks hooks(runtime, events.recorder(), clock);
    const auto ran =
        hooks.run(*pod, pod->spec()["containers"].item(0), id, address, document.root(), until);
    return ran.ok() ? "" : ran.status().message();
  }
  void start_container() {
    json::Document sandbox = *json::parse(R"({"metadata":{"name":"p","namespace":"d","uid":"u"}})");
    const std::string sandbox_id = *runtime.run_sandbox(sandbox.root(), "", {});
    json::Document config = *json::parse(R"({"metadata":{"name":"web"},"image":{"image":"i"}})");
    runtime.add_image("i");
    id = *runtime.create_container(sandbox_id, config.root(), sandbox.root(), {});
    ASSERT_TRUE(runtime.start_container(id, {}).ok());
  }

  testkit::FakeClock clock;
  testkit::FakeRuntime runtime{clock};
  testkit::RecordedEvents events{clock};
  std::string id = "none";
  std::string address = "127.0.0.1";
  PodPtr pod = *Pod::read(api::Object::make(R"({"metadata":{"name":"p","namespace":"d","uid":"u"},)"
                                            R"("spec":{"containers":[{"name":"web"}]}})"),
                          Pod::Source::kApi);
};

TEST_F(HooksTest, RunsACommand) {
  start_container();
  EXPECT_EQ(run(R"({"exec":{"command":["warm","up"]}})"), "");
  runtime.answer_exec("warm up", {"out", "err", 3});
  EXPECT_EQ(run(R"({"exec":{"command":["warm","up"]}})"),
            "Exec lifecycle hook ([warm up]) for Container \"web\" in Pod \"p_d(u)\" failed - "
            "error: command 'warm up' exited with 3: err, message: \"outerr\"");
}

TEST_F(HooksTest, AnyAnswerOfAServerWillDo) {
  std::string agent;
  testkit::TestServer server(
      [&](http::ExchangePtr exchange) {
        agent = exchange->request().headers.get("user-agent");
        exchange->respond({500, {}, {}, {}});
      },
      false);
  const std::string port = std::to_string(server.port());
  EXPECT_EQ(run(R"({"httpGet":{"path":"/x","port":)" + port + "}}"), "");
  EXPECT_EQ(agent, "kube-lifecycle/1.36");
  EXPECT_EQ(run(R"({"httpGet":{"path":"/x","port":1}})"),
            "HTTP lifecycle hook (/x) for Container \"web\" in Pod \"p_d(u)\" failed - error: Get "
            "\"http://127.0.0.1:1/x\": dial tcp 127.0.0.1:1: connect: connection refused");
  address.clear();
  EXPECT_NE(run(R"({"httpGet":{"path":"/x","port":1}})").find("failed to find networking"),
            std::string::npos);
}

TEST_F(HooksTest, FallsBackToHttpWithoutWhatWasForHttps) {
  std::string seen;
  testkit::ScriptedServer server([&](testkit::ScriptedPeer& peer, int number) {
    if (number == 0) {
      peer.receive();
      peer.send("HTTP/1.0 400 Bad Request\r\n\r\n");
    } else {
      seen = peer.receive_until("\r\n\r\n");
      peer.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    }
  });
  const std::string port = std::to_string(server.origin().port);
  EXPECT_EQ(run(R"({"httpGet":{"scheme":"HTTPS","httpHeaders":[{"name":"Authorization","value":)"
                R"("Bearer x"}],"port":)" +
                port + "}}"),
            "");
  EXPECT_EQ(seen.rfind("GET / HTTP/1.1", 0), 0u);
  EXPECT_EQ(seen.find("Bearer"), std::string::npos);
  EXPECT_EQ(events.take(), std::vector<std::string>{
                               "Warning LifecycleHTTPFallback request to HTTPS lifecycle hook "
                               "127.0.0.1:" +
                               port + " got HTTP response, retry with HTTP succeeded"});
}

TEST_F(HooksTest, SleepsUntilItsTimeOrTheContainersEnd) {
  {
    std::jthread sleeper([&] { EXPECT_EQ(run(R"({"sleep":{"seconds":5}})"), ""); });
    clock.await_waiters(1);
    clock.advance(5s);
  }
  std::jthread sleeper([&] {
    EXPECT_EQ(run(R"({"sleep":{"seconds":50}})", Until::after(clock, 3s)),
              "Sleep lifecycle hook (50) for Container \"web\" in Pod \"p_d(u)\" failed - error: "
              "container terminated before sleep hook finished");
  });
  clock.await_waiters(1);
  clock.advance(3s);
}

TEST_F(HooksTest, KnowsNoOthers) {
  EXPECT_EQ(run(R"({"tcpSocket":{"port":80}})"), "Cannot run handler: invalid handler");
  EXPECT_EQ(run("{}"), "Cannot run handler: invalid handler");
}

}  // namespace
}  // namespace proa::kubelet
