#include "scheduler/plugins/basic/priority_sort.h"

#include <gtest/gtest.h>

#include "testkit/scheduler/plugins/test_bench.h"

namespace proa::scheduler {
namespace {

using testkit::make_pod;

TEST(PrioritySort, PutsHigherPriorityFirstAndThenWhoCameFirst) {
  TestBench bench(make_priority_sort);
  const auto& sort = bench.as<QueueSortPlugin>();
  const Time early{std::chrono::seconds(10)};
  const Time late{std::chrono::seconds(20)};
  const PodPtr low = bench.read(make_pod("low").priority(-5));
  const PodPtr high = bench.read(make_pod("high").priority(1000));

  EXPECT_TRUE(sort.goes_before({high, late}, {low, early}));
  EXPECT_FALSE(sort.goes_before({low, early}, {high, late}));
  EXPECT_TRUE(sort.goes_before({low, early}, {low, late}));
  EXPECT_FALSE(sort.goes_before({low, late}, {low, early}));
  EXPECT_FALSE(sort.goes_before({low, early}, {low, early}));
}

TEST(PrioritySort, TakesPodsWithoutPriorityAsZero) {
  TestBench bench(make_priority_sort);
  const auto& sort = bench.as<QueueSortPlugin>();
  const PodPtr none = bench.read(make_pod("none"));
  const PodPtr negative = bench.read(make_pod("negative").priority(-1));
  EXPECT_TRUE(sort.goes_before({none, Time{}}, {negative, Time{}}));
}

}  // namespace
}  // namespace proa::scheduler
