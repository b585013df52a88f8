#include "network/announce/peers.h"

#include <gtest/gtest.h>

namespace proa::network {
namespace {

using std::chrono::milliseconds;
using Names = std::set<std::string, std::less<>>;

// Time passes in steps of the renewal period; the nodes named renew at each.
class PeersTest : public testing::Test {
 protected:
  void pass(int steps, const std::vector<std::string>& renewing) {
    for (int i = 0; i < steps; ++i) {
      now_ += kRenewPeriod;
      ++renewal_;
      for (const std::string& node : renewing) {
        peers_.renewed(node, std::to_string(renewal_), now_);
      }
    }
  }

  Steady now_{std::chrono::hours(1)};
  int renewal_ = 0;
  Peers peers_{"a"};
};

TEST_F(PeersTest, ANodeThatStopsRenewingIsDeadWithinTwoSeconds) {
  EXPECT_EQ(peers_.live(), Names{});
  pass(3, {"a", "b", "c"});
  EXPECT_EQ(peers_.live(), (Names{"a", "b", "c"}));
  pass(2, {"a", "c"});
  EXPECT_EQ(peers_.live(), (Names{"a", "b", "c"}));
  pass(1, {"a", "c"});
  EXPECT_EQ(peers_.live(), (Names{"a", "c"}));
  pass(1, {"a", "b", "c"});
  EXPECT_EQ(peers_.live(), (Names{"a", "b", "c"}));
}

TEST_F(PeersTest, WhileTheApiIsAwayNothingChanges) {
  pass(3, {"a", "b"});
  EXPECT_FALSE(peers_.is_blind(now_));
  pass(100, {});
  EXPECT_TRUE(peers_.is_blind(now_));
  EXPECT_EQ(peers_.live(), (Names{"a", "b"}));
  // It is back, and its own renewal is the first that is seen.
  pass(1, {"a"});
  EXPECT_FALSE(peers_.is_blind(now_));
  EXPECT_EQ(peers_.live(), (Names{"a", "b"}));
  pass(3, {"a"});
  EXPECT_EQ(peers_.live(), Names{"a"});
}

TEST_F(PeersTest, ALeaseThatIsSeenAgainIsNotRenewed) {
  pass(1, {"a", "b"});
  const std::string old = std::to_string(renewal_);
  pass(2, {"a"});
  peers_.renewed("b", old, now_);
  pass(1, {"a"});
  EXPECT_EQ(peers_.live(), Names{"a"});
}

TEST_F(PeersTest, ANodeThatStopsInOrderIsGoneAtOnce) {
  pass(1, {"a", "b"});
  peers_.removed("b");
  EXPECT_EQ(peers_.live(), Names{"a"});
}

}  // namespace
}  // namespace proa::network
