#include "kubelet/pod/allocation/resize_order.h"

#include <gtest/gtest.h>

namespace proa::kubelet {
namespace {

using namespace std::chrono_literals;

TEST(SortResizes, AsksThoseFirstThatUpstreamAsksFirst) {
  const Time noon = *parse_time("2026-01-02T12:00:00Z");
  std::vector<PendingResize> pending = {
      {.uid = api::Uid("new")},
      {.uid = api::Uid("late"), .since = noon + 1s},
      {.uid = api::Uid("early"), .since = noon},
      {.uid = api::Uid("guaranteed"), .guaranteed = true, .since = noon + 2s},
      {.uid = api::Uid("unimportant"), .priority = -1, .guaranteed = true, .since = noon},
      {.uid = api::Uid("important"), .priority = 1000},
      {.uid = api::Uid("shrinking"), .grows = false, .priority = -5},
  };
  sort_resizes(pending);
  std::string order;
  for (const PendingResize& one : pending) order += one.uid.str() + " ";
  EXPECT_EQ(order, "shrinking important guaranteed early late new unimportant ");
}

}  // namespace
}  // namespace proa::kubelet
