#include "client/informer/backoff.h"

#include <gtest/gtest.h>

namespace proa::client {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(Backoff, DoublesUpToItsBound) {
  SeededRandom random(1);
  const Backoff plain{.first = milliseconds(100), .most = seconds(1), .jitter = 0};
  EXPECT_EQ(plain.after(1, random), milliseconds(100));
  EXPECT_EQ(plain.after(2, random), milliseconds(200));
  EXPECT_EQ(plain.after(4, random), milliseconds(800));
  EXPECT_EQ(plain.after(5, random), seconds(1));
  EXPECT_EQ(plain.after(1'000'000, random), seconds(1));
}

TEST(Backoff, AddsARandomPart) {
  SeededRandom random(1);
  const Backoff policy{.first = seconds(10), .most = seconds(10), .jitter = 0.5};
  Duration least = Duration::max();
  Duration most{0};
  for (int i = 0; i < 1000; ++i) {
    const Duration wait = policy.after(3, random);
    least = std::min(least, wait);
    most = std::max(most, wait);
  }
  EXPECT_GE(least, seconds(10));
  EXPECT_LT(least, milliseconds(10'500));
  EXPECT_LT(most, seconds(15));
  EXPECT_GT(most, milliseconds(14'500));
}

}  // namespace
}  // namespace proa::client
