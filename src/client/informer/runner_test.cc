#include "client/informer/runner.h"

#include <gtest/gtest.h>

#include <map>
#include <stdexcept>

#include "testkit/fake_clock.h"

namespace proa::client {
namespace {

using std::chrono::seconds;

class Counting final : public Reconciler {
 public:
  Result<Again> reconcile(const Key& key) override {
    MutexLock lock(mutex_);
    EXPECT_TRUE(running_.insert(key).second) << "twice at once";
    most_ = std::max(most_, running_.size());
    changed_.notify_all();
    while (held_) changed_.wait(mutex_);
    ++counts_[key];
    running_.erase(key);
    changed_.notify_all();
    if (counts_[key] <= failures_ && throws_) throw std::length_error("from a library");
    if (counts_[key] <= failures_) return Status(Reason::kInternalError, "not yet");
    return Again{};
  }

  void hold(bool held) {
    MutexLock lock(mutex_);
    held_ = held;
    changed_.notify_all();
  }
  void fail_first(int times, bool by_throwing = false) {
    MutexLock lock(mutex_);
    throws_ = by_throwing;
    failures_ = times;
  }
  void await_running(size_t count) {
    MutexLock lock(mutex_);
    while (running_.size() < count) changed_.wait(mutex_);
  }
  void await_count(const Key& key, int count) {
    MutexLock lock(mutex_);
    while (counts_[key] < count) changed_.wait(mutex_);
  }
  int count(const Key& key) {
    MutexLock lock(mutex_);
    return counts_[key];
  }
  size_t most() {
    MutexLock lock(mutex_);
    return most_;
  }

 private:
  Mutex mutex_;
  CondVar changed_;
  bool throws_ GUARDED_BY(mutex_) = false;
  std::set<Key> running_ GUARDED_BY(mutex_);
  std::map<Key, int> counts_ GUARDED_BY(mutex_);
  size_t most_ GUARDED_BY(mutex_) = 0;
  int failures_ GUARDED_BY(mutex_) = 0;
  bool held_ GUARDED_BY(mutex_) = false;
};

class RunnerTest : public testing::Test {
 protected:
  testkit::FakeClock clock_;
  SeededRandom random_{1};
  WorkerPool pool_;
  Counting counting_;
  WorkQueue queue_{
      clock_,
      random_,
      {.backoff = {.first = seconds(1), .most = seconds(8), .jitter = 0}, .max_running = 3}};
  Runner runner_{"test", counting_, queue_, pool_};
  Poller poller_{clock_};
};

TEST_F(RunnerTest, DrainsWhatIsReadyOnTheCallersThread) {
  counting_.fail_first(2);
  queue_.add({"", "a"});
  queue_.add({"", "b"});
  EXPECT_EQ(runner_.drain(), 2U);
  EXPECT_EQ(runner_.drain(), 0U);
  clock_.advance(seconds(1));
  EXPECT_EQ(runner_.drain(), 2U);
  clock_.advance(seconds(2));
  EXPECT_EQ(runner_.drain(), 2U);
  clock_.advance(seconds(1000));
  EXPECT_EQ(runner_.drain(), 0U);
  EXPECT_EQ(counting_.count({"", "a"}), 3);
}

TEST_F(RunnerTest, RetriesAKeyWhoseReconcileThrew) {
  counting_.fail_first(1, true);
  queue_.add({"", "a"});
  EXPECT_EQ(runner_.drain(), 1U);
  clock_.advance(seconds(1));
  EXPECT_EQ(runner_.drain(), 1U);
  EXPECT_EQ(counting_.count({"", "a"}), 2);
  EXPECT_EQ(runner_.drain(), 0U);
}

TEST_F(RunnerTest, WorksOnSeveralKeysAtOnceButNotOnMoreThanAllowed) {
  counting_.hold(true);
  poller_.add(runner_);
  poller_.start();
  runner_.start();
  for (int i = 0; i < 20; ++i) queue_.add({"", std::to_string(i)});
  counting_.await_running(3);
  for (int i = 0; i < 20; ++i) queue_.add({"", std::to_string(i)});
  counting_.hold(false);
  for (int i = 0; i < 20; ++i) counting_.await_count({"", std::to_string(i)}, 1);
  // Those that ran while they were added again come twice.
  for (int i = 0; i < 3; ++i) counting_.await_count({"", std::to_string(i)}, 2);
  poller_.stop();
  runner_.stop();
  EXPECT_EQ(counting_.most(), 3U);
}

TEST_F(RunnerTest, WaitsForWhatRunsWhenItStops) {
  counting_.hold(true);
  poller_.add(runner_);
  poller_.start();
  runner_.start();
  queue_.add({"", "a"});
  counting_.await_running(1);
  poller_.stop();
  std::jthread stopper([&] { runner_.stop(); });
  counting_.hold(false);
  stopper.join();
  EXPECT_EQ(counting_.count({"", "a"}), 1);
  EXPECT_EQ(queue_.busy(), 0U);
}

}  // namespace
}  // namespace proa::client
