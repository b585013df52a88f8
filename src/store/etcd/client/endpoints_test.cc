#include "store/etcd/client/endpoints.h"

#include <gtest/gtest.h>

namespace proa::store::etcd {
namespace endpoints_test {

using namespace std::chrono_literals;

TEST(Endpoints, StayWithOneThatWorks) {
  Endpoints endpoints(3);
  const Steady now{1h};
  EXPECT_EQ(endpoints.choose(now), 0u);
  endpoints.worked(0);
  EXPECT_EQ(endpoints.choose(now + 1min), 0u);
}

TEST(Endpoints, LeaveOneThatFailsAndStayWithTheNext) {
  Endpoints endpoints(3);
  const Steady now{1h};
  endpoints.failed(0, now);
  EXPECT_EQ(endpoints.choose(now), 1u);
  // Although the first one may be tried again.
  EXPECT_EQ(endpoints.choose(now + 1min), 1u);
  endpoints.failed(1, now + 1min);
  endpoints.failed(2, now + 1min);
  EXPECT_EQ(endpoints.choose(now + 1min), 0u);
}

TEST(Endpoints, TryTheOneWithTheLeastBackOffIfAllFailed) {
  Endpoints endpoints(2);
  const Steady now{1h};
  for (int i = 0; i < 5; ++i) endpoints.failed(0, now);
  endpoints.failed(1, now);
  EXPECT_EQ(endpoints.choose(now), 1u);
  for (int i = 0; i < 50; ++i) endpoints.failed(1, now);
  EXPECT_EQ(endpoints.choose(now), 0u);
  // The back-off has a limit.
  EXPECT_EQ(Endpoints(endpoints).choose(now + 10s), 0u);
}

}  // namespace endpoints_test
}  // namespace proa::store::etcd
