#include "kubelet/host/cgroups/cpu_shares.h"

#include <gtest/gtest.h>

#include <limits>

namespace proa::kubelet {
namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

TEST(CpuShares, FollowTheRequest) {
  const struct {
    int64_t milli;
    int64_t shares;
    int64_t weight;
  } cases[] = {{0, 2, 1},
               {1, 2, 1},
               {2, 2, 1},
               {100, 102, 4},
               {250, 256, 10},
               {1000, 1024, 39},
               {4000, 4096, 157},
               {256000, 262144, 10000},
               {500000, 262144, 10000},
               {kMost, 262144, 10000}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.milli);
    EXPECT_EQ(shares_of(c.milli), c.shares);
    EXPECT_EQ(weight_of(shares_of(c.milli)), c.weight);
  }
}

TEST(CpuShares, AreReadBack) {
  for (const int64_t milli : {2, 100, 250, 1000, 4000}) {
    SCOPED_TRACE(milli);
    EXPECT_EQ(milli_of_shares(shares_of(milli)), milli);
    const int64_t weight = weight_of(shares_of(milli));
    EXPECT_EQ(weight_of(shares_of_weight(weight) + 1), weight);
  }
  EXPECT_EQ(milli_of_shares(0), 0);
  EXPECT_EQ(shares_of_weight(1), kMinShares);
}

TEST(CpuQuota, FollowsTheLimit) {
  const struct {
    int64_t milli;
    int64_t quota;
  } cases[] = {{0, 0},       {5, 1000},    {9, 1000},      {10, 1000},     {20, 2000},
               {200, 20000}, {500, 50000}, {1000, 100000}, {1500, 150000}, {kMost, 0}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.milli);
    EXPECT_EQ(quota_of(c.milli), c.quota);
  }
}

}  // namespace
}  // namespace proa::kubelet
