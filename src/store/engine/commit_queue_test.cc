#include "store/engine/commit_queue.h"

#include <gtest/gtest.h>

#include <latch>
#include <thread>

namespace proa::store {
namespace commit_queue_test {

constexpr Duration kTooLong = std::chrono::seconds(10);

// The leader takes what others queued, and may be the engine's own thread, which then does not lead
// the entries before it. That was a deadlock.
TEST(CommitQueue, TheLeadGoesToSomebodyWhoWaits) {
  SystemClock clock;
  // Whether the second thread comes in time is chance: rounds enough that it does.
  for (int round = 0; round < 50; ++round) {
    std::latch first_leads(1);
    std::latch go_on(1);
    const CommitRequest* held = nullptr;
    CommitQueue queue([&](std::span<CommitRequest* const> batch) {
      if (batch.front() == held) {
        first_leads.count_down();
        go_on.wait();
      }
      for (CommitRequest* request : batch) request->outcome.emplace(Committed{});
      return WatchNotifiers{};
    });
    CommitRequest first;
    CommitRequest second;
    held = &first;
    Mutex mutex;
    CondVar changed;
    int left = 3;
    const auto done = [&] {
      MutexLock lock(mutex);
      if (--left == 0) changed.notify_all();
    };
    std::jthread leader([&] {
      queue.run(first);
      done();
    });
    first_leads.wait();
    auto told = std::make_unique<CommitRequest>();
    told->done = [&](const Result<Committed>&) { done(); };
    queue.submit(std::move(told));
    std::jthread waiter([&] {
      queue.run(second);
      done();
    });
    for (int i = 0; i < 200; ++i) std::this_thread::yield();
    go_on.count_down();
    const Steady deadline = clock.steady() + kTooLong;
    bool stuck = false;
    {
      MutexLock lock(mutex);
      while (left > 0 && clock.steady() < deadline) clock.wait_until(changed, mutex, deadline);
      stuck = left > 0;
    }
    CommitRequest rescue;
    if (stuck) queue.run(rescue);
    ASSERT_FALSE(stuck) << "in round " << round;
  }
}

}  // namespace commit_queue_test
}  // namespace proa::store
