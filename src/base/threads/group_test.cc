#include "base/threads/group.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>

#include "testkit/fake_clock.h"

namespace proa {
namespace group_test {

class GroupTest : public testing::Test {
 protected:
  // Waits until it is asked to stop.
  static Result<void> until_stopped(const std::stop_token& stop) {
    std::latch stopped(1);
    const std::stop_callback callback(stop, [&] { stopped.count_down(); });
    stopped.wait();
    return Status(Reason::kTimeout, "stopped");
  }

  testkit::FakeClock clock_;
  WorkerPool pool_{{.max_threads = 4}};
};

TEST_F(GroupTest, WaitsForAll) {
  std::atomic<int> ran = 0;
  Group group(pool_, clock_);
  for (int i = 0; i < 100; ++i) {
    group.run([&](const std::stop_token&) -> Result<void> {
      ++ran;
      return {};
    });
  }
  EXPECT_TRUE(group.wait().ok());
  EXPECT_EQ(ran, 100);
}

TEST_F(GroupTest, TheFirstFailureStopsTheOthersAndIsTheAnswer) {
  std::latch started(1);
  Group group(pool_, clock_);
  group.run([&](const std::stop_token& stop) {
    started.count_down();
    return until_stopped(stop);
  });
  started.wait();
  group.run(
      [](const std::stop_token&) -> Result<void> { return Status(Reason::kConflict, "first"); });
  EXPECT_TRUE(group.wait().is(Reason::kConflict));
}

TEST_F(GroupTest, GivesUpWhenTheTimeComes) {
  std::latch started(1);
  Group group(pool_, clock_);
  group.run([&](const std::stop_token& stop) {
    started.count_down();
    return until_stopped(stop);
  });
  started.wait();
  std::jthread mover([&] {
    clock_.await_waiters(1);
    clock_.advance(std::chrono::seconds(5));
  });
  EXPECT_TRUE(group.wait(Until::after(clock_, std::chrono::seconds(5))).is(Reason::kTimeout));
}

TEST_F(GroupTest, GivesUpWhenCalledOff) {
  std::latch started(1);
  std::stop_source stop;
  Group group(pool_, clock_);
  group.run([&](const std::stop_token& token) {
    started.count_down();
    return until_stopped(token);
  });
  started.wait();
  std::jthread caller([&] {
    clock_.await_waiters(1);
    stop.request_stop();
  });
  EXPECT_TRUE(group.wait({.stop = stop.get_token()}).is(Reason::kTimeout));
}

TEST_F(GroupTest, WorksWhileThePoolIsFull) {
  std::latch release(1);
  std::latch started(1);
  // destroyed before what its task waits for
  WorkerPool small({.max_threads = 1, .max_queued = 1});
  ASSERT_TRUE(small.submit([&] {
    started.count_down();
    release.wait();
  }));
  started.wait();
  std::atomic<int> ran = 0;
  {
    Group group(small, clock_);
    for (int i = 0; i < 10; ++i) {
      group.run([&](const std::stop_token&) -> Result<void> {
        ++ran;
        return {};
      });
    }
    EXPECT_TRUE(group.wait().ok());
    EXPECT_EQ(ran, 10);
  }
  release.count_down();
}

TEST_F(GroupTest, GroupsInsideOfGroupsDoNotBlockEachOther) {
  WorkerPool small({.max_threads = 2});
  std::atomic<int> ran = 0;
  Group outer(small, clock_);
  for (int i = 0; i < 8; ++i) {
    outer.run([&](const std::stop_token&) {
      Group inner(small, clock_);
      for (int n = 0; n < 8; ++n) {
        inner.run([&](const std::stop_token&) -> Result<void> {
          ++ran;
          return {};
        });
      }
      return inner.wait();
    });
  }
  EXPECT_TRUE(outer.wait().ok());
  EXPECT_EQ(ran, 64);
}

}  // namespace group_test
}  // namespace proa
