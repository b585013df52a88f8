#include "kubelet/pod/handlers/probes/probe_schedule.h"

#include <gtest/gtest.h>

#include "json/parse.h"
#include "testkit/fake_clock.h"
#include "testkit/kubelet/fake_runtime.h"
#include "testkit/kubelet/recorded_events.h"

namespace proa::kubelet {
namespace {

using namespace std::chrono_literals;

constexpr api::UidView kPod("u");

// A pod with one container whose probes are commands of their own names.
class ProbeScheduleTest : public testing::Test {
 protected:
  static std::string probe(const std::string& name, const std::string& more = {}) {
    return "\"" + name + "Probe\":{\"exec\":{\"command\":[\"" + name + "\"]}" + more + "},";
  }
  void use(const std::string& probes, const std::string& status = "{}") {
    pod = *Pod::read(
        api::Object::make(R"({"metadata":{"name":"p","namespace":"d","uid":"u"},"spec":{)"
                          R"("containers":[{)" +
                          probes + R"("name":"web"}]},"status":)" + status + "}"),
        Pod::Source::kApi);
  }
  // Another container of it runs.
  void start() {
    json::Document sandbox = *json::parse(R"({"metadata":{"name":"p","namespace":"d","uid":"u"}})");
    if (sandbox_id.empty()) sandbox_id = *runtime.run_sandbox(sandbox.root(), "", {});
    runtime.add_image("i");
    json::Document config = *json::parse(
        R"({"metadata":{"name":"web","attempt":)" + std::to_string(attempt++) +
        R"(},"image":{"image":"i"},"labels":{"io.kubernetes.pod.uid":"u","io.kubernetes.container.name":"web"}})");
    id = *runtime.create_container(sandbox_id, config.root(), sandbox.root(), {});
    ASSERT_TRUE(runtime.start_container(id, {}).ok());
    follow();
  }
  void follow() {
    cri::RuntimePod running;
    running.sandboxes.push_back(*runtime.sandbox(sandbox_id, {}));
    running.containers.push_back(*runtime.container(id, {}));
    prober->follow(pod, running);
    settle();
  }
  void settle() { next = prober->poll(); }
  void pass(Duration time) {
    clock.advance(time);
    settle();
  }
  // The commands since the last time, without the rest.
  std::string probed() {
    std::string text;
    for (const std::string& call : runtime.calls()) {
      if (call.rfind("exec web ", 0) == 0) text += call.substr(9) + " ";
    }
    runtime.clear_calls();
    return text;
  }
  std::optional<bool> result(ProbeKind kind) { return results.get(id, kind); }

  std::unique_ptr<ProbeSchedule> make_schedule() {
    return std::make_unique<ProbeSchedule>(Prober::Context{clock,
                                                           random,
                                                           pool,
                                                           runtime,
                                                           client,
                                                           events.recorder(),
                                                           results,
                                                           [this](api::UidView) { ++changes; },
                                                           {}});
  }

  testkit::FakeClock clock;
  SeededRandom random{1};
  WorkerPool pool{{.max_threads = 0}};  // probes are over when poll() returns
  testkit::FakeRuntime runtime{clock};
  http::LoopGroup loops{1};
  http::Client client{loops, clock, {}};
  testkit::RecordedEvents events{clock};
  ProbeResults results;
  int changes = 0;
  std::unique_ptr<ProbeSchedule> prober = make_schedule();
  Steady next = {};  // when it wants to be polled again
  PodPtr pod;
  std::string sandbox_id;
  std::string id;
  int attempt = 0;
};

TEST_F(ProbeScheduleTest, ProbesAtOnceAndThenInItsRhythm) {
  use(probe("readiness", R"(,"periodSeconds":5)"));
  start();
  EXPECT_EQ(probed(), "readiness ");
  EXPECT_EQ(result(ProbeKind::kReadiness), true);
  EXPECT_EQ(changes, 1);
  EXPECT_EQ(next, clock.steady() + 5s);
  pass(4s);
  EXPECT_EQ(probed(), "");
  pass(1s);
  EXPECT_EQ(probed(), "readiness ");
  EXPECT_EQ(changes, 1);  // nothing new
}

TEST_F(ProbeScheduleTest, WaitsForTheInitialDelayAndNoLonger) {
  use(probe("readiness", R"(,"initialDelaySeconds":3,"periodSeconds":60)"));
  start();
  EXPECT_EQ(result(ProbeKind::kReadiness), false);
  EXPECT_EQ(probed(), "");
  pass(2s);
  EXPECT_EQ(probed(), "");
  pass(1s);
  EXPECT_EQ(probed(), "readiness ");
  EXPECT_EQ(result(ProbeKind::kReadiness), true);
}

TEST_F(ProbeScheduleTest, LetsTheOthersWaitForTheStartupProbe) {
  use(probe("startup", R"(,"periodSeconds":1,"failureThreshold":3)") + probe("readiness") +
      probe("liveness"));
  runtime.answer_exec("startup", {"", "", 1});
  start();
  EXPECT_EQ(probed(), "startup ");
  EXPECT_EQ(result(ProbeKind::kStartup), std::nullopt);
  EXPECT_EQ(result(ProbeKind::kLiveness), true);
  runtime.answer_exec("startup", {"", "", 0});
  pass(1s);
  EXPECT_EQ(probed(), "startup liveness readiness ");
  EXPECT_EQ(result(ProbeKind::kStartup), true);
  pass(10s);
  EXPECT_EQ(probed(), "liveness readiness ");
}

TEST_F(ProbeScheduleTest, HoldsAfterLivenessFailedUntilThereIsAnotherContainer) {
  use(probe("liveness", R"(,"periodSeconds":1,"failureThreshold":2)"));
  runtime.answer_exec("liveness", {"sick", "", 1});
  start();
  EXPECT_EQ(result(ProbeKind::kLiveness), true);
  pass(1s);
  EXPECT_EQ(probed(), "liveness liveness ");
  EXPECT_EQ(result(ProbeKind::kLiveness), false);
  EXPECT_EQ(changes, 1);
  EXPECT_EQ(events.take(), (std::vector<std::string>{
                               "Warning Unhealthy spec.containers{web} Liveness probe failed: sick",
                               "again Liveness probe failed: sick"}));
  pass(5s);
  EXPECT_EQ(probed(), "");
  const std::string before = id;
  runtime.finish(id, 137);
  follow();
  start();
  EXPECT_EQ(results.get(before, ProbeKind::kLiveness), std::nullopt);
  EXPECT_EQ(result(ProbeKind::kLiveness), true);
  EXPECT_EQ(probed(), "liveness ");
}

TEST_F(ProbeScheduleTest, IsNotReadyOnceItEnded) {
  use(probe("readiness"));
  start();
  ASSERT_EQ(result(ProbeKind::kReadiness), true);
  runtime.finish(id, 0);
  follow();
  EXPECT_EQ(result(ProbeKind::kReadiness), false);
  EXPECT_EQ(next, Steady::max());  // it costs nothing from now on
}

TEST_F(ProbeScheduleTest, ThrowsAwayWhatCouldNotBeCarriedOut) {
  use(probe("readiness", R"(,"periodSeconds":1)"));
  for (int i = 0; i < 3; ++i) runtime.fail_next("exec", Status(Reason::kNotFound, "no such thing"));
  start();
  EXPECT_EQ(result(ProbeKind::kReadiness), false);
  EXPECT_EQ(changes, 0);
  pass(1s);
  EXPECT_EQ(result(ProbeKind::kReadiness), true);
}

TEST_F(ProbeScheduleTest, GoesOnWithReadinessAloneWhileAPodStops) {
  use(probe("readiness", R"(,"periodSeconds":1)") + probe("liveness", R"(,"periodSeconds":1)"));
  start();
  probed();
  prober->stop_liveness(kPod);
  follow();
  pass(1s);
  EXPECT_EQ(probed(), "readiness ");
  prober->forget(kPod);
  EXPECT_EQ(result(ProbeKind::kReadiness), std::nullopt);
  pass(1min);
  EXPECT_EQ(probed(), "");
}

TEST_F(ProbeScheduleTest, TakesOverWhatAnotherKubeletStarted) {
  use(probe("startup") + probe("readiness", R"(,"periodSeconds":40)"));
  start();
  prober->forget(kPod);
  prober.reset();
  probed();
  clock.advance(1min);
  use(probe("startup") + probe("readiness", R"(,"periodSeconds":40)"),
      R"({"containerStatuses":[{"name":"web","started":true,"containerID":"containerd://)" + id +
          R"("}]})");
  prober = make_schedule();
  follow();
  EXPECT_EQ(result(ProbeKind::kStartup), true);
  EXPECT_EQ(result(ProbeKind::kReadiness), std::nullopt);  // the status keeps what it said
  EXPECT_EQ(probed(), "");                                 // spread over the period
  pass(40s);
  EXPECT_EQ(probed(), "readiness ");
}

TEST_F(ProbeScheduleTest, WakesWhoPollsItWhenSomebodyIsDueEarlier) {
  int woken = 0;
  prober->on_work([&] { ++woken; });
  use(probe("readiness"));
  start();
  EXPECT_EQ(woken, 2);  // it began, and its next probe was planned
  follow();
  EXPECT_EQ(woken, 2);
}

TEST_F(ProbeScheduleTest, RunsOnAThreadOfItsOwn) {
  WorkerPool threads;
  SystemClock now;
  CondVar told;
  Mutex mutex;
  bool is_told = false;
  use(probe("readiness"));
  prober.reset();
  const auto real = make_prober({now,
                                 random,
                                 threads,
                                 runtime,
                                 client,
                                 events.recorder(),
                                 results,
                                 [&](api::UidView) {
                                   MutexLock lock(mutex);
                                   is_told = true;
                                   told.notify_all();
                                 },
                                 {}});
  prober = make_schedule();
  start();
  cri::RuntimePod running;
  running.containers.push_back(*runtime.container(id, {}));
  running.containers.front().started = now.now();
  results.forget(id);
  real->follow(pod, running);
  MutexLock lock(mutex);
  while (!is_told) told.wait(mutex);
  EXPECT_EQ(result(ProbeKind::kReadiness), true);
}

}  // namespace
}  // namespace proa::kubelet
