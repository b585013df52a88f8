#include "http/budgets/frame_budget.h"

#include <gtest/gtest.h>

namespace proa::http {
namespace frame_budget_test {

constexpr Steady kStart{std::chrono::hours(1)};

int spendable(FrameBudget& budget, Steady now) {
  int count = 0;
  while (count < 10'000 && budget.spend(now)) ++count;
  return count;
}

TEST(FrameBudget, EndsAFloodAfterItsBurst) {
  FrameBudget budget(10, 2);
  EXPECT_EQ(spendable(budget, kStart), 10);
  EXPECT_FALSE(budget.spend(kStart));
}

TEST(FrameBudget, NeverEndsPingsEverySecond) {
  FrameBudget budget(10, 2);
  EXPECT_EQ(spendable(budget, kStart), 10);
  for (int second = 1; second < 10'000; ++second) {
    EXPECT_TRUE(budget.spend(kStart + std::chrono::seconds(second)));
  }
}

TEST(FrameBudget, ProgressEarnsFramesInProportion) {
  FrameBudget budget(10, 2);
  for (int i = 0; i < 1000; ++i) budget.progress();
  EXPECT_EQ(spendable(budget, kStart), 10 + 1000 * int{FrameBudget::kEarnedByProgress});
  budget.progress();
  EXPECT_EQ(spendable(budget, kStart), int{FrameBudget::kEarnedByProgress});
}

TEST(FrameBudget, SentBytesEarnUpdatesForEachShortRead) {
  FrameBudget budget(10, 2);
  budget.progress(16'384);
  EXPECT_EQ(spendable(budget, kStart), 10 + 4 + 64);
}

}  // namespace frame_budget_test
}  // namespace proa::http
