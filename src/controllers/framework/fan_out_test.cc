#include "controllers/framework/fan_out.h"

#include <gtest/gtest.h>

#include <atomic>
#include <set>

#include "base/threads/mutex.h"

namespace proa::controllers {
namespace {

TEST(FanOut, CallsEachOnce) {
  WorkerPool pool;
  Mutex mutex;
  std::multiset<size_t> seen;
  const FanOut all = fan_out(pool, 1000, [&](size_t i) -> Result<void> {
    MutexLock lock(mutex);
    seen.insert(i);
    return {};
  });
  EXPECT_TRUE(all.outcome.ok());
  EXPECT_EQ(all.done, 1000u);
  EXPECT_EQ(std::set<size_t>(seen.begin(), seen.end()).size(), 1000u);
  EXPECT_EQ(seen.size(), 1000u);
}

TEST(FanOut, StopsSoonWhenAllFail) {
  WorkerPool pool;
  std::atomic<int> tried = 0;
  const FanOut all = fan_out(pool, 1000, [&](size_t) -> Result<void> {
    ++tried;
    return Status(Reason::kForbidden, "no more");
  });
  EXPECT_EQ(all.outcome.status().message(), "no more");
  EXPECT_EQ(all.done, 0u);
  EXPECT_EQ(tried, 1);
}

TEST(FanOut, FinishesTheBatchThatAFailureIsIn) {
  WorkerPool pool;
  const FanOut all = fan_out(pool, 100, [](size_t i) -> Result<void> {
    if (i == 5) return Status(Reason::kConflict, "once");
    return {};
  });
  EXPECT_FALSE(all.outcome.ok());
  EXPECT_EQ(all.done, 6u);  // batches of 1, 2 and 4, but for the one
}

TEST(FanOut, HasNothingToDoForNone) {
  WorkerPool pool;
  const FanOut none = fan_out(pool, 0, [](size_t) -> Result<void> { return {}; });
  EXPECT_TRUE(none.outcome.ok());
  EXPECT_EQ(none.done, 0u);
}

}  // namespace
}  // namespace proa::controllers
