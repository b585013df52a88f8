#include "kubelet/workers/start/post_starts.h"

#include <gtest/gtest.h>

#include <atomic>

#include "testkit/fake_clock.h"
#include "testkit/kubelet/fake_runtime.h"
#include "testkit/kubelet/recorded_events.h"

namespace proa::kubelet {
namespace {

using namespace std::chrono_literals;

constexpr api::UidView kPod("u");

class PostStartsTest : public testing::Test {
 protected:
  void begin(PostStarts& post_starts, const std::string& handler) {
    const PodPtr pod = *Pod::read(
        api::Object::make(R"({"metadata":{"name":"web","namespace":"d","uid":"u"},)"
                          R"("spec":{"containers":[{"name":"a","lifecycle":{"postStart":)" +
                          handler + "}}]}}"),
        Pod::Source::kApi);
    post_starts.begin({.pod = pod, .container = "a", .container_id = "c"});
  }

  testkit::FakeClock clock;
  testkit::FakeRuntime runtime{clock};
  testkit::RecordedEvents events{clock};
  Hooks hooks{runtime, events.recorder(), clock};
  std::atomic<int> ended = 0;
  std::function<void(api::UidView)> count = [this](api::UidView) {
    ++ended;
    ended.notify_all();
  };
};

TEST_F(PostStartsTest, RemembersWhatFailedUntilItIsForgotten) {
  WorkerPool none{{.max_threads = 0}};
  PostStarts post_starts(hooks, none, events.recorder(), count);
  begin(post_starts, R"({"exec":{"command":["x"]}})");
  EXPECT_EQ(ended, 1);
  EXPECT_FALSE(post_starts.is_running("c"));
  EXPECT_TRUE(post_starts.failure("c")) << "the runtime has no such container";
  EXPECT_EQ(events.take(), std::vector<std::string>({"Warning FailedPostStartHook "
                                                     "spec.containers{a} PostStartHook failed"}));
  post_starts.forget("c");
  EXPECT_FALSE(post_starts.failure("c"));
}

TEST_F(PostStartsTest, CountsAsFailedWithoutAThread) {
  WorkerPool full{{.max_threads = 1, .max_queued = 0}};
  PostStarts post_starts(hooks, full, events.recorder(), count);
  begin(post_starts, R"({"sleep":{"seconds":1}})");
  EXPECT_FALSE(post_starts.blocks_starts(kPod));
  EXPECT_TRUE(post_starts.failure("c"));
}

TEST_F(PostStartsTest, HoldsUpItsPodUntilItEnds) {
  WorkerPool threads{{.max_threads = 1}};
  PostStarts post_starts(hooks, threads, events.recorder(), count);
  begin(post_starts, R"({"sleep":{"seconds":60}})");
  clock.await_waiters(1);
  EXPECT_TRUE(post_starts.is_running("c"));
  EXPECT_TRUE(post_starts.blocks_starts(kPod));
  EXPECT_FALSE(post_starts.blocks_starts(api::UidView("other")));
  clock.advance(60s);
  ended.wait(0);
  EXPECT_FALSE(post_starts.blocks_starts(kPod));
  EXPECT_FALSE(post_starts.failure("c"));
}

TEST_F(PostStartsTest, IsNoFailureWhenItIsCalledOff) {
  WorkerPool threads{{.max_threads = 1}};
  PostStarts post_starts(hooks, threads, events.recorder(), count);
  begin(post_starts, R"({"sleep":{"seconds":60}})");
  clock.await_waiters(1);
  post_starts.cancel("c");
  ended.wait(0);
  EXPECT_FALSE(post_starts.failure("c"));
}

TEST_F(PostStartsTest, CallsAllOffInTheEnd) {
  WorkerPool threads{{.max_threads = 1}};
  {
    PostStarts post_starts(hooks, threads, events.recorder(), count);
    begin(post_starts, R"({"sleep":{"seconds":60}})");
    clock.await_waiters(1);
  }
  EXPECT_EQ(ended, 1);
}

}  // namespace
}  // namespace proa::kubelet
