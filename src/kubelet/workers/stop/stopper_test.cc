#include "kubelet/workers/stop/stopper.h"

#include <gtest/gtest.h>

#include "testkit/fake_clock.h"
#include "testkit/kubelet/fake_runtime.h"
#include "testkit/kubelet/recorded_events.h"
#include "testkit/patience.h"

namespace proa::kubelet {
namespace {

using namespace std::chrono_literals;
using Lines = std::vector<std::string>;

class StopperTest : public testing::Test {
 protected:
  static PodPtr pod_with(const std::string& container) {
    return *Pod::read(api::Object::make(R"({"metadata":{"name":"web","namespace":"d","uid":"u"},)"
                                        R"("spec":{"containers":[{"name":"a")" +
                                        container + "}]}}"),
                      Pod::Source::kApi);
  }
  static Stopper::Request request(Duration grace, const std::string& container) {
    return {.pod = pod_with(container),
            .pod_uid = api::Uid("u"),
            .container = {.id = "c", .name = "a"},
            .grace = grace};
  }
  void stop(Duration grace, const std::string& container = {}) {
    stopper.stop(request(grace, container));
  }
  void await_turn(Duration grace, const std::string& container = {}) {
    Stopper::Request asked = request(grace, container);
    asked.waits_for_turn = true;
    stopper.stop(std::move(asked));
  }
  std::string ended() {
    MutexLock lock(mutex);
    return std::exchange(told, {});
  }
  void note(const std::string& what) {
    MutexLock lock(mutex);
    told += (told.empty() ? "" : " ") + what;
  }

  testkit::FakeClock clock;
  testkit::FakeRuntime runtime{clock};
  testkit::RecordedEvents events{clock};
  Hooks hooks{runtime, events.recorder(), clock};
  WorkerPool pool{{.max_threads = 0}};
  Mutex mutex;
  std::string told;
  Stopper stopper{
      runtime, hooks, clock, pool, events.recorder(), [this](api::UidView uid, Duration wait) {
        note(uid.str() + "+" + format_duration(wait));
      }};
};

TEST_F(StopperTest, RunsTheHandlerThenStops) {
  stop(30s, R"(,"lifecycle":{"preStop":{"exec":{"command":["bye"]}}})");
  EXPECT_EQ(runtime.calls(), Lines({"exec c bye", "stop_container c 30s"}));
  EXPECT_EQ(ended(), "u+0s");
  EXPECT_FALSE(stopper.is_stopping("c"));
  const Lines told_events = events.take();
  ASSERT_FALSE(told_events.empty());
  EXPECT_EQ(told_events.front(), "Normal Killing spec.containers{a} Stopping container a");
}

TEST_F(StopperTest, GivesTwoSecondsInAnyCaseButNoHandler) {
  stop(0s, R"(,"lifecycle":{"preStop":{"exec":{"command":["bye"]}}})");
  EXPECT_EQ(runtime.calls(), Lines({"stop_container c 2s"}));
}

TEST_F(StopperTest, StopsOneWhoseSpecNobodyKnows) {
  stopper.stop({.pod_uid = api::Uid("u"), .container = {.id = "c", .name = "a"}, .grace = 5s});
  EXPECT_EQ(runtime.calls(), Lines({"stop_container c 5s"}));
  EXPECT_EQ(events.take(), Lines());
}

TEST_F(StopperTest, TellsLaterOfWhatCouldNotBeStopped) {
  runtime.fail_next("stop_container", Status(Reason::kInternalError, "busy"));
  stop(30s);
  EXPECT_EQ(ended(), "u+5s");
  EXPECT_FALSE(stopper.is_stopping("c")) << "it can be tried again";
}

TEST_F(StopperTest, RunsTheHandlerBeforeTheTurnHasCome) {
  const std::string hook = R"(,"lifecycle":{"preStop":{"exec":{"command":["bye"]}}})";
  await_turn(30s, hook);
  EXPECT_EQ(runtime.calls(), Lines({"exec c bye"}));
  EXPECT_TRUE(stopper.is_stopping("c"));
  EXPECT_EQ(ended(), "");
  clock.advance(10s);
  await_turn(20s, hook);
  EXPECT_EQ(runtime.calls(), Lines({"exec c bye"}));
  stop(20s, hook);
  EXPECT_EQ(runtime.calls(), Lines({"exec c bye", "stop_container c 20s"}));
  EXPECT_EQ(ended(), "u+0s");
  EXPECT_FALSE(stopper.is_stopping("c"));
}

TEST_F(StopperTest, CountsTheWaitForTheTurnAsGrace) {
  await_turn(30s);
  clock.advance(10s);
  stop(30s);
  EXPECT_EQ(runtime.calls(), Lines({"stop_container c 20s"}));
}

TEST_F(StopperTest, ForgetsWhoEndedBeforeItsTurn) {
  await_turn(30s);
  stopper.forget("c");
  EXPECT_FALSE(stopper.is_stopping("c"));
  EXPECT_EQ(runtime.calls(), Lines());
}

TEST_F(StopperTest, GivesUpWhenThereIsNoThread) {
  WorkerPool full{{.max_threads = 1, .max_queued = 0}};
  api::Uid uid;
  Stopper stuck(runtime, hooks, clock, full, events.recorder(),
                [&uid](api::UidView pod, Duration) { uid = api::Uid(pod); });
  stuck.stop({.pod_uid = api::Uid("u"), .container = {.id = "c"}});
  EXPECT_EQ(uid, "u");
  EXPECT_FALSE(stuck.is_stopping("c"));
}

// With handlers that sleep until the clock moves.
class BusyStopperTest : public StopperTest {
 protected:
  BusyStopperTest() {
    begin(30s);
    clock.await_waiters(1);
  }
  void begin(Duration grace, bool waits_for_turn = false) {
    Stopper::Request asked = request(grace, R"(,"lifecycle":{"preStop":{"sleep":{"seconds":20}}})");
    asked.waits_for_turn = waits_for_turn;
    busy.stop(std::move(asked));
  }
  void await_end() {
    EXPECT_TRUE(testkit::holds_within(5s, [&] { return !busy.is_stopping("c"); }));
  }

  WorkerPool threads{{.max_threads = 4}};
  Stopper busy{
      runtime, hooks, clock, threads, events.recorder(), [this](api::UidView uid, Duration wait) {
        note(uid.str() + "+" + format_duration(wait));
      }};
};

TEST_F(BusyStopperTest, TakesTheTimeOfTheHandlerFromTheGrace) {
  EXPECT_TRUE(busy.is_stopping("c"));
  clock.advance(20s);
  await_end();
  EXPECT_EQ(runtime.calls(), Lines({"stop_container c 10s"}));
}

TEST_F(BusyStopperTest, IgnoresALongerGrace) {
  begin(31s);
  begin(30s);
  EXPECT_EQ(runtime.calls(), Lines());
  clock.advance(20s);
  await_end();
  EXPECT_EQ(runtime.calls(), Lines({"stop_container c 10s"}));
}

TEST_F(BusyStopperTest, EndsTheHandlerForAShorterGrace) {
  begin(5s);
  await_end();
  ASSERT_FALSE(runtime.calls().empty());
  EXPECT_EQ(runtime.calls().front(), "stop_container c 5s");
}

class BusyWaiterTest : public BusyStopperTest {
 protected:
  BusyWaiterTest() {
    clock.advance(20s);
    await_end();
    runtime.clear_calls();
    begin(30s, true);
    clock.await_waiters(1);
  }
};

TEST_F(BusyWaiterTest, StopsAfterTheHandlerWhenItsTurnCameMeanwhile) {
  begin(30s);
  EXPECT_EQ(runtime.calls(), Lines());
  clock.advance(20s);
  await_end();
  EXPECT_EQ(runtime.calls(), Lines({"stop_container c 10s"}));
}

TEST_F(BusyWaiterTest, EndsTheHandlerOfOneThatEnded) {
  busy.forget("c");
  await_end();
}

TEST_F(BusyStopperTest, HurriesWhenTheProgramEnds) {
  busy.cancel_all();
  await_end();
}

}  // namespace
}  // namespace proa::kubelet
