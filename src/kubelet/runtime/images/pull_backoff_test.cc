#include "kubelet/runtime/images/pull_backoff.h"

#include <gtest/gtest.h>

namespace proa::kubelet {
namespace {

using namespace std::chrono_literals;

TEST(PullBackoff, DoublesUpToFiveMinutesAndForgets) {
  PullBackoff backoff;
  Steady now{1h};
  EXPECT_FALSE(backoff.waits("u", "i", now));
  for (const Duration expected : {Duration(10s), Duration(20s), Duration(40s), Duration(80s),
                                  Duration(160s), Duration(300s), Duration(300s)}) {
    EXPECT_EQ(backoff.failed("u", "i", now, "no"), expected);
    EXPECT_EQ(backoff.waits("u", "i", now + expected - 1ns)->until, now + expected);
    now += expected;
    EXPECT_FALSE(backoff.waits("u", "i", now));
  }
  EXPECT_FALSE(backoff.waits("u", "other", now - 1s));
  EXPECT_FALSE(backoff.waits("v", "i", now - 1s));
  EXPECT_EQ(backoff.failed("u", "i", now + 11min, "no"), 10s);
  backoff.forget("u");
  EXPECT_FALSE(backoff.waits("u", "i", now + 11min));
}

}  // namespace
}  // namespace proa::kubelet
