#include "http/budgets/rate_limit.h"

#include <gtest/gtest.h>

namespace proa::http {
namespace rate_limit_test {

TEST(RateLimit, AllowsABurstAndThenARate) {
  RateLimit limit(3, 2);
  Steady now{std::chrono::hours(1)};
  const auto allowed = [&] {
    int count = 0;
    while (count < 100 && limit.allow(now)) ++count;
    return count;
  };
  EXPECT_EQ(allowed(), 3);
  now += std::chrono::seconds(1);
  EXPECT_EQ(allowed(), 2);
  now += std::chrono::milliseconds(400);
  EXPECT_EQ(allowed(), 0);
  now += std::chrono::milliseconds(100);
  EXPECT_EQ(allowed(), 1);
  now += std::chrono::hours(1);
  EXPECT_EQ(allowed(), 3);
}

}  // namespace rate_limit_test
}  // namespace proa::http
