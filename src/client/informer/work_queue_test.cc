#include "client/informer/work_queue.h"

#include <gtest/gtest.h>

#include <thread>

#include "testkit/fake_clock.h"

namespace proa::client {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const Status kFailure(Reason::kInternalError, "no");

class WorkQueueTest : public testing::Test {
 protected:
  std::string take() {
    const std::optional<Key> key = queue_.try_take();
    return key ? key->name : "-";
  }
  void finish(const std::string& name, const Result<Again>& outcome = Again{}) {
    queue_.finish({"", name}, outcome);
  }

  testkit::FakeClock clock_;
  SeededRandom random_{1};
  WorkQueue queue_{
      clock_,
      random_,
      {.backoff = {.first = seconds(1), .most = seconds(4), .jitter = 0}, .max_running = 2}};
};

TEST_F(WorkQueueTest, HandsOutAKeyOnceInOrder) {
  for (const char* name : {"a", "b", "a"}) queue_.add({"", name});
  EXPECT_EQ(take(), "a");
  EXPECT_EQ(take(), "b");
  EXPECT_EQ(take(), "-");
}

TEST_F(WorkQueueTest, HandsOutNoMoreThanMayRun) {
  for (const char* name : {"a", "b", "c"}) queue_.add({"", name});
  EXPECT_EQ(take(), "a");
  EXPECT_EQ(take(), "b");
  EXPECT_EQ(take(), "-");
  finish("a");
  EXPECT_EQ(take(), "c");
}

TEST_F(WorkQueueTest, BringsBackWhatWasAddedWhileItRan) {
  queue_.add({"", "a"});
  EXPECT_EQ(take(), "a");
  queue_.add({"", "a"});
  EXPECT_EQ(take(), "-");
  finish("a");
  EXPECT_EQ(take(), "a");
  finish("a");
  EXPECT_EQ(take(), "-");
}

TEST_F(WorkQueueTest, HoldsBackUntilTheEarliestTime) {
  queue_.add_after({"", "a"}, seconds(5));
  queue_.add_after({"", "a"}, seconds(3));
  queue_.add_after({"", "a"}, seconds(9));
  clock_.advance(milliseconds(2999));
  EXPECT_EQ(take(), "-");
  clock_.advance(milliseconds(1));
  EXPECT_EQ(take(), "a");
  finish("a");
  clock_.advance(seconds(100));
  EXPECT_EQ(take(), "-");
}

TEST_F(WorkQueueTest, AddGoesBeforeAWait) {
  queue_.add_after({"", "a"}, seconds(5));
  queue_.add({"", "a"});
  EXPECT_EQ(take(), "a");
  finish("a");
  clock_.advance(seconds(6));
  EXPECT_EQ(take(), "-");
}

TEST_F(WorkQueueTest, WaitsLongerAfterEachFailure) {
  queue_.add({"", "a"});
  for (const int wait : {1, 2, 4, 4}) {
    EXPECT_EQ(take(), "a");
    finish("a", kFailure);
    clock_.advance(seconds(wait) - milliseconds(1));
    EXPECT_EQ(take(), "-");
    clock_.advance(milliseconds(1));
  }
  EXPECT_EQ(take(), "a");
  finish("a", Again{});
  queue_.add({"", "a"});
  EXPECT_EQ(take(), "a");
  finish("a", kFailure);
  EXPECT_EQ(queue_.next_due(), clock_.steady() + seconds(1));
}

TEST_F(WorkQueueTest, ComesAgainWhenAsked) {
  queue_.add({"", "a"});
  EXPECT_EQ(take(), "a");
  finish("a", Again{seconds(30)});
  EXPECT_EQ(take(), "-");
  clock_.advance(seconds(30));
  EXPECT_EQ(take(), "a");
}

TEST_F(WorkQueueTest, WakesWhoWaitsWhenTheTimeComes) {
  queue_.add_after({"", "a"}, seconds(5));
  std::optional<Key> taken;
  std::jthread waiter([&] { taken = queue_.take({}); });
  clock_.await_waiters(1);
  clock_.advance(seconds(5));
  waiter.join();
  EXPECT_EQ(taken, (Key{"", "a"}));
}

TEST_F(WorkQueueTest, LetsWaitersGoWhenShutDown) {
  std::optional<Key> taken = Key{};
  std::jthread waiter([&] { taken = queue_.take({}); });
  clock_.await_waiters(1);
  queue_.shut_down();
  waiter.join();
  EXPECT_EQ(taken, std::nullopt);
  queue_.add({"", "a"});
  EXPECT_EQ(take(), "-");
}

TEST_F(WorkQueueTest, StopsWaitingWhenCalledOff) {
  std::optional<Key> taken = Key{};
  std::jthread waiter([&](const std::stop_token& stop) { taken = queue_.take({.stop = stop}); });
  clock_.await_waiters(1);
  waiter.request_stop();
  waiter.join();
  EXPECT_EQ(taken, std::nullopt);
}

}  // namespace
}  // namespace proa::client
