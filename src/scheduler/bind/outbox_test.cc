#include "scheduler/bind/outbox.h"

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <memory>
#include <thread>
#include <vector>

namespace proa::scheduler {
namespace {

// Opens once.
class Gate {
 public:
  void open() {
    const MutexLock lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  void pass() {
    const MutexLock lock(mutex_);
    while (!open_) changed_.wait(mutex_);
  }

 private:
  Mutex mutex_;
  CondVar changed_;
  bool open_ GUARDED_BY(mutex_) = false;
};

void wait_until_empty(const Outbox& outbox) {
  while (outbox.size() > 0) std::this_thread::yield();
}

TEST(Outbox, WritesAboutOnePodInTheirOrder) {
  constexpr int kPods = 8;
  constexpr int kWrites = 200;
  WorkerPool pool({.max_threads = 8});
  std::vector<std::vector<int>> seen(kPods);
  std::vector<std::atomic<int>> running(kPods);
  std::atomic<bool> overlapped = false;
  {
    Outbox outbox(pool, 4);
    for (int i = 0; i < kWrites; ++i) {
      for (int pod = 0; pod < kPods; ++pod) {
        const auto write = [&, pod, i] {
          if (running[pod]++ != 0) overlapped = true;
          seen[pod].push_back(i);
          --running[pod];
        };
        if (i % 7 == 3) {
          outbox.post_slow(api::UidView(std::to_string(pod)), write);
        } else {
          outbox.post(api::UidView(std::to_string(pod)), write);
        }
      }
    }
    wait_until_empty(outbox);
  }
  EXPECT_FALSE(overlapped);
  for (const std::vector<int>& one : seen) {
    ASSERT_EQ(one.size(), static_cast<size_t>(kWrites));
    EXPECT_TRUE(std::is_sorted(one.begin(), one.end()));
  }
}

TEST(Outbox, WritesAboutSeveralPodsAtOnceButNotTooMany) {
  WorkerPool pool({.max_threads = 16});
  std::atomic<int> running = 0;
  std::atomic<int> most = 0;
  Outbox outbox(pool, 3);
  for (int i = 0; i < 300; ++i) {
    outbox.post(api::UidView(std::to_string(i)), [&] {
      const int now = ++running;
      int known = most;
      while (known < now && !most.compare_exchange_weak(known, now)) {
      }
      std::this_thread::yield();
      --running;
    });
  }
  wait_until_empty(outbox);
  EXPECT_LE(most, 3);
}

TEST(Outbox, DoesNotLetSlowOnesHoldUpOthers) {
  WorkerPool pool({.max_threads = 8});
  Gate gate;
  std::atomic<bool> done = false;
  Outbox outbox(pool, 1);
  outbox.post_slow(api::UidView("a"), [&] { gate.pass(); });
  outbox.post_slow(api::UidView("b"), [&] { gate.pass(); });
  outbox.post(api::UidView("a"), [&] { EXPECT_TRUE(done) << "behind the slow one"; });
  outbox.post(api::UidView("c"), [&] {
    done = true;
    gate.open();
  });
  wait_until_empty(outbox);
  EXPECT_TRUE(done);
}

TEST(Outbox, WorksAtOnceWithoutThreads) {
  WorkerPool pool({.max_threads = 0});
  Outbox outbox(pool, 4);
  std::string text;
  outbox.post(api::UidView("a"), [&] {
    text += "1";
    outbox.post(api::UidView("a"), [&] { text += "3"; });
    outbox.post(api::UidView("b"), [&] { text += "2"; });
  });
  EXPECT_EQ(text, "123");
  EXPECT_EQ(outbox.size(), 0u);
}

TEST(Outbox, WaitsForWhatRunsAndDropsTheRest) {
  WorkerPool pool({.max_threads = 4});
  Gate begun;
  Gate may_end;
  std::atomic<int> written = 0;
  {
    Outbox outbox(pool, 1);
    outbox.post(api::UidView("a"), [&] {
      begun.open();
      may_end.pass();
      ++written;
    });
    begun.pass();
    for (int i = 0; i < 10; ++i) outbox.post(api::UidView("a"), [&] { ++written; });
    // The first write ends when all that wait behind it were dropped.
    std::shared_ptr<Gate> dropped(&may_end, [](Gate* gate) { gate->open(); });
    for (int i = 0; i < 10; ++i)
      outbox.post(api::UidView(std::to_string(i)), [&, dropped] { ++written; });
    dropped.reset();
    EXPECT_EQ(outbox.size(), 11u);
  }
  EXPECT_EQ(written, 1);
}

}  // namespace
}  // namespace proa::scheduler
