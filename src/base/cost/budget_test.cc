#include "base/cost/budget.h"

#include <gtest/gtest.h>

#include <stop_token>

#include "testkit/fake_clock.h"

namespace proa {

TEST(Budget, IsNotExceededByItsWholeAmount) {
  Budget budget({.values = 10, .memory = 100, .steps = 20});
  EXPECT_TRUE(budget.take_values(4));
  EXPECT_TRUE(budget.take_values(6));
  EXPECT_TRUE(budget.take_steps(20));
  EXPECT_TRUE(budget.holds(100));
  EXPECT_FALSE(budget.exceeded());
  EXPECT_TRUE(budget.check().ok());
}

TEST(Budget, SaysWhatWasTooMuch) {
  const struct {
    void (*spend)(Budget&);
    std::string_view message;
  } cases[] = {
      {[](Budget& b) { b.take_values(11); },
       "Request entity too large: the body has more than 10 values"},
      {[](Budget& b) { b.holds(101); },
       "Request entity too large: the object takes more than 100 bytes of memory"},
      {[](Budget& b) { b.take_steps(21); },
       "Request entity too large: the request takes more than 20 steps"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.message);
    Budget budget({.values = 10, .memory = 100, .steps = 20});
    c.spend(budget);
    EXPECT_TRUE(budget.exceeded());
    const Result<void> checked = budget.check();
    ASSERT_TRUE(checked.is(Reason::kRequestEntityTooLarge));
    EXPECT_EQ(checked.status().code(), 413);
    EXPECT_EQ(checked.status().message(), c.message);
  }
}

TEST(Budget, StaysExceededAndNamesTheFirstCause) {
  Budget budget({.values = 10, .memory = 100, .steps = 20});
  EXPECT_FALSE(budget.take_values(11));
  EXPECT_FALSE(budget.take_values(0));
  EXPECT_FALSE(budget.take_steps(1));
  EXPECT_FALSE(budget.holds(1000));
  EXPECT_NE(budget.status().message().find("values"), std::string::npos);
}

TEST(Budget, MovesAreCheaperThanSteps) {
  Budget budget({.values = 0, .memory = 0, .steps = 11});
  EXPECT_TRUE(budget.take_moves(80));
  EXPECT_FALSE(budget.take_moves(1));
}

constexpr size_t kMiB = size_t{1} << 20;

TEST(Budget, TakesMuchMemoryFromAPool) {
  MemoryPool pool(20 * kMiB);
  {
    Budget small(pool);
    EXPECT_TRUE(small.holds(kMiB));
    EXPECT_EQ(pool.left(), 20 * kMiB);
    Budget large(pool);
    EXPECT_TRUE(large.holds(10 * kMiB));
    EXPECT_LE(pool.left(), 11 * kMiB);
    EXPECT_GE(pool.left(), 8 * kMiB);
    const size_t left = pool.left();
    EXPECT_TRUE(large.holds(10 * kMiB));
    EXPECT_EQ(pool.left(), left);
    // Another one finds too little left, and gives nothing up.
    Budget other(pool);
    EXPECT_FALSE(other.holds(10 * kMiB));
    EXPECT_TRUE(other.check().is(Reason::kTooManyRequests));
    EXPECT_EQ(other.status().details().retry_after_seconds, 1);
    EXPECT_EQ(pool.left(), left);
  }
  EXPECT_EQ(pool.left(), 20 * kMiB);
}

TEST(Budget, HasTheMemoryThatWasMovedToIt) {
  MemoryPool pool(20 * kMiB);
  Budget moved;
  {
    Budget budget(pool);
    EXPECT_TRUE(budget.take_steps(7) && budget.holds(5 * kMiB));
    moved = std::move(budget);
  }
  const size_t left = pool.left();
  EXPECT_LT(left, 16 * kMiB);
  {
    // A copy pays for itself.
    Budget copy(moved);
    EXPECT_EQ(pool.left(), left);
    EXPECT_TRUE(copy.holds(5 * kMiB));
    EXPECT_LT(pool.left(), left);
  }
  EXPECT_EQ(pool.left(), left);
  moved = Budget();
  EXPECT_EQ(pool.left(), 20 * kMiB);
}

TEST(Budget, NeverHoldsMoreThanItsLimit) {
  MemoryPool pool(100 * kMiB);
  Budget budget(pool);
  EXPECT_TRUE(budget.holds(Budget::Limits{}.memory - 1));
  EXPECT_FALSE(budget.holds(Budget::Limits{}.memory + 1));
  EXPECT_TRUE(budget.check().is(Reason::kRequestEntityTooLarge));
}

TEST(Budget, OfAllRequestsIsAShareOfTheMemory) {
  EXPECT_EQ(request_memory_within(kMiB), 32 * kMiB) << "one of the largest fits";
  EXPECT_EQ(request_memory_within(256 * kMiB), 32 * kMiB);
  EXPECT_EQ(request_memory_within(400 * kMiB), 50 * kMiB);
  EXPECT_EQ(request_memory_within(64 * 1024 * kMiB), 64 * kMiB);
}

TEST(Budget, EndsWithTheTimeOfTheRequest) {
  testkit::FakeClock clock;
  Budget budget;
  budget.end_with(Until::after(clock, std::chrono::seconds(5)), clock);
  EXPECT_TRUE(budget.take_steps(100'000));
  clock.advance(std::chrono::seconds(5));
  for (int i = 0; i < 20'000 && !budget.exceeded(); ++i) budget.take_steps(1);
  EXPECT_TRUE(budget.check().is(Reason::kTimeout));
  EXPECT_EQ(budget.status().code(), 504);
}

TEST(Budget, EndsWhenTheClientIsGone) {
  testkit::FakeClock clock;
  std::stop_source client;
  Budget budget;
  budget.end_with({.stop = client.get_token()}, clock);
  Budget copy(budget);
  EXPECT_TRUE(copy.in_time());
  client.request_stop();
  EXPECT_FALSE(copy.in_time());
  EXPECT_FALSE(budget.take_steps(20'000));
  EXPECT_TRUE(Budget().in_time());
}

TEST(Budget, LimitsTheGrowthOfTrustedInput) {
  Budget budget = Budget::for_growth(1000, 100);
  EXPECT_TRUE(budget.take_values(100'000'000));
  EXPECT_TRUE(budget.holds(1000 + (size_t{1} << 20) + 3200));
  EXPECT_FALSE(budget.holds(1001 + (size_t{1} << 20) + 3200));
}

}  // namespace proa
