#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include "testkit/load.h"

namespace proa::testkit {
namespace latency_trials_test {

using testing::TestPartResult;

struct Outcome {
  int measured = 0;
  std::vector<TestPartResult::Type> reported;
};

// With measurements that take that many milliseconds each, in turn.
Outcome judge(const std::vector<int>& milliseconds, double share) {
  Outcome outcome;
  testing::TestPartResultArray reported;
  {
    const testing::ScopedFakeTestPartResultReporter reporter(&reported);
    for (LatencyTrials trials; trials.next(); ++outcome.measured) {
      Latencies latencies;
      latencies.add(std::chrono::milliseconds(milliseconds.at(outcome.measured)));
      trials.judge("a request", latencies, 100, share);
    }
  }
  for (int i = 0; i < reported.size(); ++i) {
    outcome.reported.push_back(reported.GetTestPartResult(i).type());
  }
  return outcome;
}

TEST(LatencyTrials, EndWithTheFirstThatIsFastEnough) {
  for (const std::vector<int>& milliseconds : {std::vector{50}, {150, 50}, {150, 150, 50}}) {
    const Outcome outcome = judge(milliseconds, 1);
    EXPECT_EQ(outcome.measured, milliseconds.size());
    EXPECT_TRUE(outcome.reported.empty());
  }
}

TEST(LatencyTrials, FailIfAllAreTooSlow) {
  const Outcome outcome = judge({150, 150, 150, 50}, 1);
  EXPECT_EQ(outcome.measured, 3);
  EXPECT_EQ(outcome.reported, std::vector{TestPartResult::kFatalFailure});
}

TEST(LatencyTrials, AllowForOtherProcesses) {
  EXPECT_EQ(judge({150}, 0.6).measured, 1);
  EXPECT_EQ(judge({150}, 0.1).measured, 1);
  const Outcome outcome = judge({250, 250, 250}, 0.1);
  EXPECT_EQ(outcome.reported, std::vector{TestPartResult::kSkip});
}

}  // namespace latency_trials_test
}  // namespace proa::testkit
