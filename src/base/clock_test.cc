#include "base/clock.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "testkit/fake_clock.h"

namespace proa {
namespace clock_test {

using std::chrono::seconds;

TEST(SystemClock, MovesForward) {
  SystemClock clock;
  const Steady before = clock.steady();
  Mutex mutex;
  CondVar changed;
  MutexLock lock(mutex);
  const Steady deadline = before + std::chrono::milliseconds(2);
  while (clock.steady() < deadline) clock.wait_until(changed, mutex, deadline);
  EXPECT_GE(clock.steady(), deadline);
  EXPECT_GT(clock.now(), Time(std::chrono::hours(24 * 365 * 50)));
}

TEST(FakeClock, StandsStillUntilMoved) {
  testkit::FakeClock clock;
  const Time now = clock.now();
  const Steady steady = clock.steady();
  EXPECT_EQ(clock.now(), now);
  clock.advance(seconds(5));
  EXPECT_EQ(clock.now(), now + seconds(5));
  EXPECT_EQ(clock.steady(), steady + seconds(5));
  clock.set_calendar(now);
  EXPECT_EQ(clock.steady(), steady + seconds(5));
}

TEST(FakeClock, WakesThoseWhoseTimeHasCome) {
  testkit::FakeClock clock;
  std::atomic<int> woken = 0;
  std::vector<std::jthread> sleepers;
  const Steady start = clock.steady();
  for (int i = 1; i <= 4; ++i) {
    sleepers.emplace_back([&, i] {
      Mutex mutex;  // destroyed as soon as the wait ends, while others are still being woken
      CondVar changed;
      MutexLock lock(mutex);
      while (clock.steady() < start + seconds(i))
        clock.wait_until(changed, mutex, start + seconds(i));
      ++woken;
    });
  }
  clock.await_waiters(4);
  clock.advance(seconds(2));
  sleepers[0].join();
  sleepers[1].join();
  EXPECT_EQ(woken, 2);
  clock.advance(seconds(2));
  sleepers[2].join();
  sleepers[3].join();
}

TEST(FakeClock, WakesOnNotifyToo) {
  testkit::FakeClock clock;
  Mutex mutex;
  CondVar changed;
  bool ready = false;
  std::jthread sleeper([&] {
    MutexLock lock(mutex);
    while (!ready) clock.wait_until(changed, mutex, Steady::max());
  });
  clock.await_waiters(1);
  MutexLock lock(mutex);
  ready = true;
  changed.notify_one();
}

}  // namespace clock_test
}  // namespace proa
