#include "apiserver/access/admission/pods/rate_buckets.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "testkit/fake_clock.h"

namespace proa::apiserver {
namespace {

using namespace std::chrono_literals;

TEST(RateBuckets, GiveTheBurstAndThenTheRate) {
  testkit::FakeClock clock;
  RateBuckets buckets({.per_second = 3, .burst = 5}, 10, clock);
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(buckets.take("a")) << i;
  EXPECT_FALSE(buckets.take("a"));
  clock.advance(1s);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(buckets.take("a")) << i;
  EXPECT_FALSE(buckets.take("a"));
}

TEST(RateBuckets, FillUpToTheBurstAndNotBeyond) {
  testkit::FakeClock clock;
  RateBuckets buckets({.per_second = 100, .burst = 2}, 10, clock);
  clock.advance(1h);
  EXPECT_TRUE(buckets.take("a"));
  clock.advance(1h);
  EXPECT_TRUE(buckets.take("a"));
  EXPECT_TRUE(buckets.take("a"));
  EXPECT_FALSE(buckets.take("a"));
}

TEST(RateBuckets, GiveATokenAtTheNanosecondThatItIsDue) {
  testkit::FakeClock clock;
  RateBuckets buckets({.per_second = 3, .burst = 1}, 10, clock);
  EXPECT_TRUE(buckets.take("a"));
  clock.advance(333'333'332ns);
  EXPECT_FALSE(buckets.take("a"));
  clock.advance(1ns);
  EXPECT_TRUE(buckets.take("a"));
}

TEST(RateBuckets, AreNotEmptiedByThoseWhoAreRefused) {
  testkit::FakeClock clock;
  RateBuckets buckets({.per_second = 1, .burst = 1}, 10, clock);
  EXPECT_TRUE(buckets.take("a"));
  for (int i = 0; i < 9; ++i) {
    clock.advance(100ms);
    EXPECT_FALSE(buckets.take("a"));
  }
  clock.advance(100ms);
  EXPECT_TRUE(buckets.take("a"));
}

TEST(RateBuckets, ForgetTheKeyThatWasNotAskedForTheLongest) {
  testkit::FakeClock clock;
  RateBuckets buckets({.per_second = 1, .burst = 1}, 2, clock);
  EXPECT_TRUE(buckets.take("a"));
  EXPECT_TRUE(buckets.take("b"));
  EXPECT_FALSE(buckets.take("a"));
  EXPECT_TRUE(buckets.take("c"));  // in place of b
  EXPECT_FALSE(buckets.take("a"));
  EXPECT_TRUE(buckets.take("b"));  // in place of c
  EXPECT_FALSE(buckets.take("a"));
  EXPECT_TRUE(buckets.take("c"));
}

TEST(RateBuckets, TellLongKeysApart) {
  testkit::FakeClock clock;
  RateBuckets buckets({.per_second = 1, .burst = 1}, 10, clock);
  const std::string key(1 << 20, 'x');
  EXPECT_TRUE(buckets.take(key));
  EXPECT_TRUE(buckets.take(key + "y"));
  EXPECT_FALSE(buckets.take(key));
  EXPECT_TRUE(buckets.take(""));
  EXPECT_FALSE(buckets.take(""));
}

TEST(RateBuckets, GiveNoMoreToManyThreadsThanToOne) {
  testkit::FakeClock clock;
  RateBuckets buckets({.per_second = 1, .burst = 100}, 2, clock);
  std::atomic<int> taken = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        for (int j = 0; j < 100; ++j) taken += buckets.take("a") ? 1 : 0;
      });
    }
  }
  EXPECT_EQ(taken, 100);
}

}  // namespace
}  // namespace proa::apiserver
