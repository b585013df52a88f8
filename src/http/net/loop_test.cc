#include "http/net/loop.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <list>

#include "testkit/http/inbox.h"

namespace proa::http {
namespace loop_test {

TEST(Loop, RunsTasksInTheOrderTheyWerePosted) {
  Loop loop;
  std::vector<int> order;
  for (int i = 0; i < 1000; ++i) loop.post([&order, i] { order.push_back(i); });
  loop.run_and_wait([] {});
  ASSERT_EQ(order.size(), 1000U);
  EXPECT_TRUE(std::ranges::is_sorted(order));
}

TEST(Loop, RunsAtOnceWhatIsRunOnItsOwnThread) {
  Loop loop;
  EXPECT_FALSE(loop.in_loop());
  std::string order;
  loop.run_and_wait([&] {
    EXPECT_TRUE(loop.in_loop());
    loop.post([&] { order += "posted"; });
    loop.run([&] { order += "run "; });
  });
  loop.run_and_wait([] {});
  EXPECT_EQ(order, "run posted");
}

TEST(Loop, GoesOnWithOtherThingsBetweenSlicesOfCostlyWork) {
  Loop loop;
  std::string order;
  testkit::Inbox<bool> done;
  std::list<FairQueue::Waiter> waiters;
  const auto wait = [&](Loop::Costly state, const std::string& name) {
    waiters.emplace_back([&, name] {
      // Longer than a slice, whatever the machine.
      const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(5);
      while (std::chrono::steady_clock::now() < end) continue;
      order += name + " ";
      loop.post([&order, name] { order += "after_" + name + " "; });
      if (name == "new1") loop.post([&] { done.put(true); });
    });
    loop.queue_costly(state, "a", waiters.back());
  };
  loop.run_and_wait([&] {
    wait(Loop::Costly::kNew, "new1");
    wait(Loop::Costly::kNew, "new2");
    wait(Loop::Costly::kBegun, "begun");
  });
  ASSERT_TRUE(done.take());
  EXPECT_EQ(order, "begun after_begun new2 after_new2 new1 after_new1 ");
  loop.run_and_wait([&] { waiters.clear(); });
}

TEST(Loop, RunsWhatWasPostedBeforeItEnds) {
  int runs = 0;
  {
    Loop loop;
    for (int i = 0; i < 100; ++i) {
      loop.post([&] {
        ++runs;
        loop.post([&] {
          ++runs;
          loop.post([&] { ++runs; });
        });
      });
    }
  }
  EXPECT_EQ(runs, 300);
}

TEST(Loop, TakesTasksFromManyThreads) {
  Loop loop;
  int runs = 0;  // touched on the loop's thread only
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < 1000; ++j) loop.post([&] { ++runs; });
    });
  }
  for (auto& thread : threads) thread.join();
  loop.run_and_wait([&] { EXPECT_EQ(runs, 4000); });
}

TEST(LoopGroup, TakesTurns) {
  LoopGroup loops(3);
  EXPECT_EQ(loops.size(), 3U);
  Loop& first = loops.next();
  EXPECT_NE(&first, &loops.next());
  loops.next();
  EXPECT_EQ(&first, &loops.next());
  EXPECT_EQ(LoopGroup(0).size(), 1U);
}

TEST(Timer, FiresOnceAndNotEarly) {
  Loop loop;
  testkit::Inbox<bool> fired;
  std::unique_ptr<Timer> timer;
  const auto begin = std::chrono::steady_clock::now();
  loop.run_and_wait([&] {
    timer = std::make_unique<Timer>(loop, [&] { fired.put(true); });
    timer->start(std::chrono::milliseconds(20));
  });
  EXPECT_TRUE(fired.take());
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(19));
  EXPECT_TRUE(fired.empty());
  loop.run_and_wait([&] { timer.reset(); });
}

TEST(Timer, CanBeStoppedStartedAnewAndDestroyed) {
  Loop loop;
  testkit::Inbox<int> fired;
  std::vector<std::unique_ptr<Timer>> timers;
  loop.run_and_wait([&] {
    for (int i = 0; i < 4; ++i) {
      timers.push_back(std::make_unique<Timer>(loop, [&fired, i] { fired.put(i); }));
      timers.back()->start(std::chrono::milliseconds(5));
    }
    timers[0]->stop();
    timers[1].reset();
    timers[2]->start(std::chrono::milliseconds(30));
  });
  EXPECT_EQ(fired.take(), 3);
  EXPECT_EQ(fired.take(), 2);
  EXPECT_TRUE(fired.empty());
  loop.run_and_wait([&] { timers.clear(); });
}

}  // namespace loop_test
}  // namespace proa::http
