#include "base/threads/poller.h"

#include <gtest/gtest.h>

#include "testkit/fake_clock.h"

namespace proa {
namespace poller_test {

using std::chrono::seconds;

class Counting final : public Pollable {
 public:
  explicit Counting(Clock& clock, Duration again) : clock_(clock), again_(again) {}

  Steady poll() override {
    MutexLock lock(mutex_);
    ++polls_;
    changed_.notify_all();
    return again_ == Duration::zero() ? Steady::max() : clock_.steady() + again_;
  }
  void on_work(std::function<void()> wake) override { wake_ = std::move(wake); }

  void wake() { wake_(); }
  void await(int polls) {
    MutexLock lock(mutex_);
    while (polls_ < polls) changed_.wait(mutex_);
  }
  int polls() {
    MutexLock lock(mutex_);
    return polls_;
  }

 private:
  Clock& clock_;
  const Duration again_;
  std::function<void()> wake_;
  Mutex mutex_;
  CondVar changed_;
  int polls_ GUARDED_BY(mutex_) = 0;
};

TEST(Poller, MayBeGoneWhenItIsWoken) {
  testkit::FakeClock clock;
  Counting late(clock, Duration::zero());
  {
    Poller poller(clock);
    poller.add(late);
    poller.start();
    late.await(1);
  }
  late.wake();
  EXPECT_EQ(late.polls(), 1);
}

TEST(Poller, PollsAtTheStartWhenWokenAndWhenTheTimeHasCome) {
  testkit::FakeClock clock;
  Counting sleeper(clock, Duration::zero());
  Counting regular(clock, seconds(10));
  Poller poller(clock);
  poller.add(sleeper);
  poller.add(regular);
  poller.start();
  sleeper.await(1);
  regular.await(1);
  clock.await_waiters(1);
  sleeper.wake();
  sleeper.await(2);
  clock.await_waiters(1);
  clock.advance(seconds(10));
  regular.await(2);
  clock.await_waiters(1);
  EXPECT_EQ(sleeper.polls(), 2);
  EXPECT_EQ(regular.polls(), 2);
}

TEST(Poller, NothingIsPolledOnceItHasStopped) {
  testkit::FakeClock clock;
  Counting one(clock, Duration::zero());
  Poller poller(clock);
  poller.add(one);
  poller.start();
  one.await(1);
  poller.stop();
  one.wake();
  EXPECT_EQ(one.polls(), 1);
}

}  // namespace poller_test
}  // namespace proa
