#include "kubelet/pod/plan/restart_backoff.h"

#include <gtest/gtest.h>

namespace proa::kubelet {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

const Time kBegin{std::chrono::hours(1000)};

TEST(RestartBackoff, DoublesUpToFiveMinutes) {
  RestartBackoff backoff;
  Time now = kBegin;
  EXPECT_FALSE(backoff.start("web", {"0", now}, now)) << "the first time it starts at once";
  Duration wait = seconds(10);
  for (int i = 1; i < 9; ++i) {
    const RestartBackoff::End end{std::to_string(i), now};
    const auto waiting = backoff.start("web", end, now + seconds(1));
    ASSERT_TRUE(waiting);
    EXPECT_EQ(waiting->whole, wait);
    EXPECT_EQ(waiting->until, now + wait);
    EXPECT_FALSE(backoff.start("web", end, now + wait));
    now += wait;
    wait = std::min<Duration>(2 * wait, minutes(5));
  }
}

TEST(RestartBackoff, CountsAnEndOnce) {
  RestartBackoff backoff;
  EXPECT_FALSE(backoff.start("web", {"0", kBegin}, kBegin));
  EXPECT_FALSE(backoff.start("web", {"0", kBegin}, kBegin + seconds(1))) << "its image was pulled";
  EXPECT_EQ(backoff.start("web", {"1", kBegin + seconds(2)}, kBegin + seconds(3))->whole,
            seconds(10));
}

TEST(RestartBackoff, BeginsAnewAfterALongRun) {
  RestartBackoff backoff;
  EXPECT_FALSE(backoff.start("web", {"0", kBegin}, kBegin));
  EXPECT_FALSE(backoff.start("web", {"1", kBegin}, kBegin + seconds(10)));
  const Time ended = kBegin + seconds(10) + minutes(11);
  EXPECT_FALSE(backoff.start("web", {"2", ended}, ended));
  EXPECT_EQ(backoff.start("web", {"3", ended}, ended)->whole, seconds(10));
}

TEST(RestartBackoff, CountsContainersApart) {
  RestartBackoff backoff;
  EXPECT_FALSE(backoff.start("web", {"0", kBegin}, kBegin));
  EXPECT_FALSE(backoff.start("log", {"1", kBegin}, kBegin));
}

}  // namespace
}  // namespace proa::kubelet
