#include "base/threads/futex.h"

#include <gtest/gtest.h>

#include <thread>

namespace proa {
namespace {

TEST(Futex, DoesNotWaitForWhatHappenedAlready) {
  const std::atomic<int> word = 1;
  futex_wait(word, 0);
}

TEST(Futex, WakesWhoWaits) {
  std::atomic<int> word = 0;
  std::atomic<int> answer = 0;
  std::jthread other([&] {
    while (word.load() == 0) futex_wait(word, 0);
    answer = 1;
    futex_wake_one(answer);
  });
  word = 1;
  futex_wake_one(word);
  while (answer.load() == 0) futex_wait(answer, 0);
  EXPECT_EQ(answer, 1);
}

}  // namespace
}  // namespace proa
