#include "base/threads/pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <stdexcept>

namespace proa {
namespace pool_test {

TEST(WorkerPool, GrowsWhileTasksBlock) {
  // Each task waits for all of them: they end only if every one got a thread of its own.
  std::latch all(8);
  std::latch done(8);
  WorkerPool pool({.max_threads = 8});  // waits for its tasks before the latches go
  for (int i = 0; i < 8; ++i) {
    ASSERT_TRUE(pool.submit([&] {
      all.arrive_and_wait();
      done.count_down();
    }));
  }
  done.wait();
  EXPECT_EQ(pool.threads(), 8U);
}

TEST(WorkerPool, WithoutThreadsItWorksAtOnce) {
  WorkerPool pool({.max_threads = 0});
  bool done = false;
  ASSERT_TRUE(pool.submit([&] { done = true; }));
  EXPECT_TRUE(done);
  EXPECT_EQ(pool.threads(), 0U);
}

TEST(WorkerPool, StaysWithinItsBounds) {
  std::latch started(2);
  std::latch release(1);
  std::latch last(1);
  std::atomic<int> ran = 0;
  WorkerPool pool({.max_threads = 2, .max_queued = 3});
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(pool.submit([&] {
      started.count_down();
      release.wait();
      ++ran;
    }));
  }
  started.wait();
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(pool.submit([&] { ++ran; }));
  EXPECT_FALSE(pool.submit([&] { ++ran; }));
  EXPECT_EQ(pool.threads(), 2U);
  release.count_down();
  while (!pool.submit([&] { last.count_down(); })) std::this_thread::yield();
  last.wait();
  EXPECT_GE(ran, 4);
}

TEST(WorkerPool, StopWaitsForWhatHasBegun) {
  std::latch started(1);
  std::latch release(1);
  std::atomic<bool> ended = false;
  WorkerPool pool({.max_threads = 1});
  ASSERT_TRUE(pool.submit([&] {
    started.count_down();
    release.wait();
    ended = true;
  }));
  started.wait();
  std::atomic<bool> discarded = true;
  ASSERT_TRUE(pool.submit([&] { discarded = false; }));
  std::jthread stopping([&] { pool.stop(); });
  while (pool.submit([] {})) std::this_thread::yield();
  EXPECT_FALSE(ended);
  release.count_down();
  stopping.join();
  EXPECT_TRUE(ended);
  EXPECT_TRUE(discarded);
  EXPECT_EQ(pool.threads(), 0U);
}

TEST(WorkerPool, DiscardsQueuedWorkOnRequest) {
  std::latch started(1);
  std::latch release(1);
  std::atomic<int> ran = 0;
  const auto kept = std::make_shared<int>(0);
  {
    WorkerPool pool({.max_threads = 1});
    ASSERT_TRUE(pool.submit([&] {
      started.count_down();
      release.wait();
      ++ran;
    }));
    started.wait();
    for (int i = 0; i < 100; ++i) ASSERT_TRUE(pool.submit([&, kept] { ++ran; }));
    pool.discard_queued();
    EXPECT_EQ(kept.use_count(), 1);
    EXPECT_FALSE(pool.submit([&] { ++ran; }));
    release.count_down();
  }
  EXPECT_EQ(ran, 1);
}

TEST(WorkerPool, FinishesQueuedWorkWhenDestroyed) {
  std::atomic<int> ran = 0;
  {
    WorkerPool pool({.max_threads = 3});
    for (int i = 0; i < 1000; ++i) ASSERT_TRUE(pool.submit([&] { ++ran; }));
  }
  EXPECT_EQ(ran, 1000);
}

TEST(WorkerPool, IdleThreadsEnd) {
  std::latch ran(1);
  std::latch again(1);
  WorkerPool pool({.idle_timeout = std::chrono::milliseconds(1)});
  ASSERT_TRUE(pool.submit([&] { ran.count_down(); }));
  ran.wait();
  while (pool.threads() > 0) std::this_thread::yield();
  ASSERT_TRUE(pool.submit([&] { again.count_down(); }));
  again.wait();
}

TEST(WorkerPool, UsesAnIdleThreadBeforeANewOne) {
  WorkerPool pool({.max_threads = 64});
  for (int i = 0; i < 200; ++i) {
    std::latch ran(1);
    ASSERT_TRUE(pool.submit([&] { ran.count_down(); }));
    ran.wait();
  }
  // A thread that just finished may not be back in line yet; far more than two would mean no reuse.
  EXPECT_LE(pool.threads(), 16U);
}

TEST(WorkerPool, TakesWorkFromManyThreads) {
  std::atomic<int> ran = 0;
  {
    WorkerPool pool({.max_threads = 4, .idle_timeout = std::chrono::microseconds(50)});
    std::vector<std::jthread> submitters;
    for (int i = 0; i < 4; ++i) {
      submitters.emplace_back([&] {
        for (int n = 0; n < 500; ++n) {
          while (!pool.submit([&] { ++ran; })) std::this_thread::yield();
        }
      });
    }
  }
  EXPECT_EQ(ran, 2000);
}

TEST(WorkerPool, GoesOnAfterATaskThatThrew) {
  std::atomic<int> done = 0;
  {
    WorkerPool pool({.max_threads = 1});
    ASSERT_TRUE(pool.submit([] { throw std::length_error("from a library"); }));
    ASSERT_TRUE(pool.submit([&] { ++done; }));
  }
  EXPECT_EQ(done, 1);
}

}  // namespace pool_test
}  // namespace proa
