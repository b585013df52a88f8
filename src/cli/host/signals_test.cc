#include "cli/host/signals.h"

#include <gtest/gtest.h>
#include <pthread.h>

namespace proa::cli {
namespace {

using namespace std::chrono_literals;

class StopSignalsTest : public testing::Test {
 protected:
  std::optional<Duration> grace_after(std::optional<Duration> most_grace) {
    // To this thread: others, of earlier tests, do not block it.
    pthread_sigqueue(pthread_self(), kStopWithPods, {.sival_int = grace_value(most_grace)});
    EXPECT_EQ(signals_.wait_for(5s), "SIGUSR1");
    return signals_.pods_grace();
  }

  StopSignals signals_;
};

TEST_F(StopSignalsTest, CarryTheGraceOfThePods) {
  EXPECT_EQ(grace_after(std::nullopt), Duration::max());
  EXPECT_EQ(grace_after(0s), Duration(0));
  EXPECT_EQ(grace_after(90s), Duration(90s));
  EXPECT_EQ(grace_after(1500ms), Duration(2s));
}

TEST_F(StopSignalsTest, LeavePodsAloneOtherwise) {
  pthread_kill(pthread_self(), SIGINT);
  EXPECT_EQ(signals_.wait_for(5s), "SIGINT");
  EXPECT_EQ(signals_.pods_grace(), std::nullopt);
}

}  // namespace
}  // namespace proa::cli
