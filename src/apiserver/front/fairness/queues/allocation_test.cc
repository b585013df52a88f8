#include "apiserver/front/fairness/queues/allocation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "apiserver/front/fairness/queues/demand.h"
#include "apiserver/front/fairness/queues/retry_after.h"
#include "testkit/case_random.h"

namespace proa::apiserver::fairness {
namespace {

TEST(FairFraction, IsTheSameForAllWithinTheirBounds) {
  const std::vector<BoundedTarget> targets{{0, 100, 10}, {0, 100, 30}};
  EXPECT_NEAR(fair_fraction(20, targets), 0.5, 1e-9);
  EXPECT_NEAR(fair_fraction(80, targets), 2, 1e-9);
  // The first has its least, the second the rest.
  const std::vector<BoundedTarget> bounded{{10, 100, 10}, {0, 100, 30}};
  EXPECT_NEAR(fair_fraction(25, bounded), 0.5, 1e-9);
  // The second has its most.
  const std::vector<BoundedTarget> capped{{0, 100, 10}, {0, 15, 30}};
  EXPECT_NEAR(fair_fraction(35, capped), 2, 1e-9);
}

Borrower level(int nominal, int lower, int upper, int high, double smoothed) {
  return {.exempt = false,
          .nominal = nominal,
          .lower = lower,
          .upper = upper,
          .high_watermark = high,
          .smoothed = smoothed};
}

TEST(AllocateSeats, LendsWhatIsIdleToWhoNeedsIt) {
  const std::vector<Borrower> levels{level(50, 10, 650, 0, 0), level(50, 25, 650, 200, 200)};
  const Allocation made = allocate_seats(levels);
  EXPECT_EQ(made.shares[0].seats + made.shares[1].seats, 100);
  EXPECT_GE(made.shares[0].seats, 10);
  EXPECT_GT(made.shares[1].seats, 85);
}

TEST(AllocateSeats, KeepsBackWhatIsNotLendable) {
  const std::vector<Borrower> levels{level(50, 50, 650, 0, 0), level(50, 25, 650, 200, 200)};
  const Allocation made = allocate_seats(levels);
  EXPECT_EQ(made.shares[0].seats, 50);
  EXPECT_EQ(made.shares[1].seats, 50);
}

TEST(AllocateSeats, BorrowsNoMoreThanItMay) {
  const std::vector<Borrower> levels{level(50, 0, 650, 1, 1), level(50, 25, 60, 200, 200)};
  const Allocation made = allocate_seats(levels);
  EXPECT_EQ(made.shares[1].seats, 60);
  EXPECT_EQ(made.shares[0].seats, 40);
}

TEST(AllocateSeats, ReturnsSeatsToWhoOwnsThem) {
  // Both want all: none has less than its own.
  const std::vector<Borrower> levels{level(50, 0, 650, 90, 90), level(50, 25, 650, 900, 900)};
  const Allocation made = allocate_seats(levels);
  EXPECT_EQ(made.shares[0].seats, 50);
  EXPECT_EQ(made.shares[1].seats, 50);
}

TEST(AllocateSeats, GivesExemptLevelsWhatTheyUse) {
  std::vector<Borrower> levels{level(0, 0, 600, 30, 5), level(60, 20, 660, 60, 60),
                               level(40, 20, 640, 40, 40)};
  levels[0].exempt = true;
  Allocation made = allocate_seats(levels);
  EXPECT_EQ(made.shares[0].seats, 30);
  EXPECT_LT(made.shares[1].seats, 60);
  EXPECT_EQ(made.shares[1].seats + made.shares[2].seats, 70);
  EXPECT_EQ(made.fair_fraction, 0);
  levels[0].high_watermark = 1000;
  made = allocate_seats(levels);
  EXPECT_EQ(made.shares[1].seats, 20);
  EXPECT_EQ(made.shares[2].seats, 20);
}

TEST(AllocateSeats, StaysWithinBoundsAndUsesEverySeat) {
  testkit::CaseRandom random;
  for (int round = 0; round < 2000; ++round) {
    std::vector<Borrower> levels;
    int sum = 0;
    for (uint64_t i = 0; i < 1 + random.below(8); ++i) {
      const int nominal = static_cast<int>(random.below(100));
      const int lower = nominal - static_cast<int>(random.below(nominal + 1));
      levels.push_back(level(nominal, lower, nominal + 600, static_cast<int>(random.below(300)),
                             static_cast<double>(random.below(3000)) / 10));
      sum += nominal;
    }
    const Allocation made = allocate_seats(levels);
    int given = 0;
    for (size_t i = 0; i < levels.size(); ++i) {
      EXPECT_GE(made.shares[i].seats, levels[i].lower);
      EXPECT_LE(made.shares[i].seats, levels[i].upper);
      given += made.shares[i].seats;
    }
    // But for rounding.
    EXPECT_LE(std::abs(given - sum), static_cast<int>(levels.size())) << "round " << round;
  }
}

TEST(Demand, IsWeightedByTime) {
  Steady now{std::chrono::hours(1)};
  Demand demand(now);
  demand.set(10, now);
  now += std::chrono::seconds(1);
  demand.set(0, now);
  now += std::chrono::seconds(3);
  const Demand::Period period = demand.take(now);
  EXPECT_DOUBLE_EQ(period.average, 2.5);
  EXPECT_NEAR(period.deviation, 4.330, 0.001);
  EXPECT_EQ(period.high_watermark, 10);
  EXPECT_EQ(demand.take(now).high_watermark, 0);
}

TEST(SmoothedDemand, RisesAtOnceAndFallsSlowly) {
  SmoothedDemand demand;
  demand.add({.seconds = 10, .average = 100, .deviation = 0, .high_watermark = 100});
  EXPECT_DOUBLE_EQ(demand.smoothed, 100);
  for (int i = 0; i < 30; ++i) demand.add({.seconds = 10});
  EXPECT_NEAR(demand.smoothed, 50, 1) << "after five minutes";
  SmoothedDemand idle;
  idle.smoothed = 100;
  idle.add_idle(30);
  EXPECT_NEAR(idle.smoothed, 50, 1);
}

TEST(RetryAfter, GrowsWhileManyAreRejectedAndShrinksAfterwards) {
  RetryAfter retry;
  EXPECT_EQ(retry.seconds(), 1);
  for (int64_t second = 100; second < 300; ++second) {
    for (int i = 0; i < 100; ++i) retry.note(second);
  }
  EXPECT_EQ(retry.seconds(), 32);
  for (int64_t second = 400; second < 4000; second += 40) retry.note(second);
  EXPECT_EQ(retry.seconds(), 1);
  retry.note(5000);
  EXPECT_EQ(retry.seconds(), 1) << "few are no reason";
}

}  // namespace
}  // namespace proa::apiserver::fairness
