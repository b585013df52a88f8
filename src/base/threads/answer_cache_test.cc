#include "base/threads/answer_cache.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "testkit/fake_clock.h"

namespace proa {
namespace {

using namespace std::chrono_literals;
using Cache = AnswerCache<int>;

TEST(AnswerCache, KeepsAnAnswerForItsTime) {
  testkit::FakeClock clock;
  Cache cache(clock, 10);
  int asked = 0;
  const auto ask = [&] { return Cache::Asked{++asked, 30s}; };
  EXPECT_EQ(cache.get("a", ask).value(), 1);
  clock.advance(30s);
  EXPECT_EQ(cache.get("a", ask).value(), 1);
  EXPECT_EQ(cache.find("a"), 1);
  clock.advance(1ns);
  EXPECT_EQ(cache.find("a"), std::nullopt);
  EXPECT_EQ(cache.find("a", 1s), 1);
  EXPECT_EQ(cache.get("a", ask).value(), 2);
  EXPECT_EQ(cache.find("b", 1h), std::nullopt);
  EXPECT_EQ(cache.size(), 1u);
}

TEST(AnswerCache, KeepsNoFailuresAndNothingWithoutTime) {
  testkit::FakeClock clock;
  Cache cache(clock, 10);
  const Status down(Reason::kServiceUnavailable, "down");
  EXPECT_EQ(cache.get("a", [&] { return Cache::Asked{down, 30s}; }).status().message(), "down");
  EXPECT_EQ(cache.get("a", [] { return Cache::Asked{7, 0s}; }).value(), 7);
  EXPECT_EQ(cache.find("a"), std::nullopt);
  EXPECT_EQ(cache.size(), 0u);
}

TEST(AnswerCache, ForgetsFirstWhatWasNotUsed) {
  testkit::FakeClock clock;
  Cache cache(clock, 2);
  const auto put = [&](const std::string& key, int value) {
    EXPECT_TRUE(cache.get(key, [&] { return Cache::Asked{value, 30s}; }).ok());
  };
  put("a", 1);
  put("b", 2);
  EXPECT_EQ(cache.find("a"), 1);
  put("c", 3);
  EXPECT_EQ(cache.find("a"), 1);
  EXPECT_EQ(cache.find("b"), std::nullopt);
  EXPECT_EQ(cache.find("c"), 3);
  EXPECT_EQ(cache.size(), 2u);
}

TEST(AnswerCache, AsksOnceForManyWhoWantToKnow) {
  testkit::FakeClock clock;
  Cache cache(clock, 10);
  std::atomic<int> asked = 0;
  std::atomic<bool> answer = false;
  std::atomic<int> right = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&] {
        const Result<int> got = cache.get("a", [&] {
          ++asked;
          while (!answer) std::this_thread::yield();
          return Cache::Asked{42, 1h};
        });
        if (got.ok() && *got == 42) ++right;
      });
    }
    while (asked == 0) std::this_thread::yield();
    // Another key does not wait for this one.
    EXPECT_EQ(cache.get("b", [] { return Cache::Asked{1, 1s}; }).value(), 1);
    answer = true;
  }
  EXPECT_EQ(right, 8);
  EXPECT_EQ(asked, 1);
}

TEST(AnswerCache, TellsAFailureToAllWhoWaited) {
  testkit::FakeClock clock;
  Cache cache(clock, 10);
  std::atomic<int> asking = 0;
  std::atomic<bool> answer = false;
  std::atomic<int> failed = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        const Result<int> got = cache.get("a", [&] {
          ++asking;
          while (!answer) std::this_thread::yield();
          return Cache::Asked{Status(Reason::kServiceUnavailable, "down"), 1s};
        });
        if (!got.ok()) ++failed;
      });
    }
    while (asking == 0) std::this_thread::yield();
    answer = true;
  }
  EXPECT_EQ(failed, 4);
}

}  // namespace
}  // namespace proa
