#include "base/limits/log_limit.h"

#include <gtest/gtest.h>

#include "testkit/fake_clock.h"

namespace proa {
namespace {

// How many of `lines` pass.
int passing(LogLimit& limit, int lines) {
  int passed = 0;
  for (int i = 0; i < lines; ++i) passed += limit.next().has_value() ? 1 : 0;
  return passed;
}

TEST(LogLimit, PassesABurstThenOneAtATime) {
  testkit::FakeClock clock;
  LogLimit limit(clock, 3, std::chrono::seconds(10));
  EXPECT_EQ(passing(limit, 1000), 3);
  clock.advance(std::chrono::seconds(9));
  EXPECT_EQ(passing(limit, 1000), 0);
  clock.advance(std::chrono::seconds(1));
  EXPECT_EQ(passing(limit, 1000), 1);
  // The burst comes back slowly, and is never larger.
  clock.advance(std::chrono::seconds(20));
  EXPECT_EQ(passing(limit, 1000), 2);
  clock.advance(std::chrono::hours(1));
  EXPECT_EQ(passing(limit, 1000), 3);
}

TEST(LogLimit, CountsWhatWasOmitted) {
  testkit::FakeClock clock;
  LogLimit limit(clock, 1, std::chrono::seconds(10));
  EXPECT_EQ(limit.next(), 0u);
  EXPECT_EQ(passing(limit, 7), 0);
  clock.advance(std::chrono::seconds(10));
  EXPECT_EQ(limit.next(), 7u);
  clock.advance(std::chrono::seconds(10));
  EXPECT_EQ(limit.next(), 0u);
}

}  // namespace
}  // namespace proa
