#include "kubelet/worker/restart_backoff.h"

#include <gtest/gtest.h>

namespace proa::kubelet {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

const Time kBegin{std::chrono::hours(1000)};

TEST(RestartBackoff, DoublesUpToFiveMinutes) {
  RestartBackoff backoff;
  Time now = kBegin;
  EXPECT_FALSE(backoff.start("web", now, now)) << "the first time it starts at once";
  Duration wait = seconds(10);
  for (int i = 0; i < 8; ++i) {
    const auto waiting = backoff.start("web", now, now + seconds(1));
    ASSERT_TRUE(waiting);
    EXPECT_EQ(waiting->whole, wait);
    EXPECT_EQ(waiting->until, now + wait);
    EXPECT_FALSE(backoff.start("web", now, now + wait));
    now += wait;
    wait = std::min<Duration>(2 * wait, minutes(5));
  }
}

TEST(RestartBackoff, BeginsAnewAfterALongRun) {
  RestartBackoff backoff;
  EXPECT_FALSE(backoff.start("web", kBegin, kBegin));
  EXPECT_FALSE(backoff.start("web", kBegin, kBegin + seconds(10)));
  const Time ended = kBegin + seconds(10) + minutes(11);
  EXPECT_FALSE(backoff.start("web", ended, ended));
  EXPECT_EQ(backoff.start("web", ended, ended)->whole, seconds(10));
}

TEST(RestartBackoff, CountsContainersApart) {
  RestartBackoff backoff;
  EXPECT_FALSE(backoff.start("web", kBegin, kBegin));
  EXPECT_FALSE(backoff.start("log", kBegin, kBegin));
}

}  // namespace
}  // namespace proa::kubelet
