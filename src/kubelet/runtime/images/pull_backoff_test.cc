#include "kubelet/runtime/images/pull_backoff.h"

#include <gtest/gtest.h>

namespace proa::kubelet {
namespace {

using namespace std::chrono_literals;

constexpr api::UidView kPod("u");

TEST(PullBackoff, DoublesUpToFiveMinutesAndForgets) {
  PullBackoff backoff;
  Steady now{1h};
  EXPECT_FALSE(backoff.waits(kPod, "i", now));
  for (const Duration expected : {Duration(10s), Duration(20s), Duration(40s), Duration(80s),
                                  Duration(160s), Duration(300s), Duration(300s)}) {
    EXPECT_EQ(backoff.failed(kPod, "i", now, "no"), expected);
    EXPECT_EQ(backoff.waits(kPod, "i", now + expected - 1ns)->until, now + expected);
    now += expected;
    EXPECT_FALSE(backoff.waits(kPod, "i", now));
  }
  EXPECT_FALSE(backoff.waits(kPod, "other", now - 1s));
  EXPECT_FALSE(backoff.waits(api::UidView("v"), "i", now - 1s));
  EXPECT_EQ(backoff.failed(kPod, "i", now + 11min, "no"), 10s);
  backoff.forget(kPod);
  EXPECT_FALSE(backoff.waits(kPod, "i", now + 11min));
}

}  // namespace
}  // namespace proa::kubelet
