#include "controllers/node/heartbeats.h"

#include <gtest/gtest.h>

#include "testkit/fake_clock.h"

namespace proa::controllers::nodes {
namespace {

using std::chrono::seconds;

class HeartbeatsTest : public testing::Test {
 protected:
  // A node that posted a status with this heartbeat; or, with none, never did.
  NodeFacts node(const char* heartbeat) {
    NodeFacts facts;
    facts.created = testkit::FakeClock::kStart;
    if (*heartbeat == '\0') return facts;
    facts.ready = NodeReady::kTrue;
    facts.heartbeat = heartbeat;
    return facts;
  }
  Duration silence() { return clock_.steady() - heartbeats_.last("n"); }

  testkit::FakeClock clock_;
  Heartbeats heartbeats_{clock_};
};

TEST_F(HeartbeatsTest, AHeartbeatThatChangesIsOne) {
  clock_.advance(seconds(100));
  heartbeats_.observe("n", node("a"));
  EXPECT_EQ(silence(), seconds(0)) << "the first time, whatever it says";
  clock_.advance(seconds(10));
  heartbeats_.observe("n", node("a"));
  EXPECT_EQ(silence(), seconds(10));
  heartbeats_.observe("n", node("b"));
  EXPECT_EQ(silence(), seconds(0));
}

TEST_F(HeartbeatsTest, ALaterRenewalIsOne) {
  heartbeats_.observe("n", node("a"));
  heartbeats_.renewed("n", "2026-01-01T00:00:10.000000Z");
  clock_.advance(seconds(10));
  heartbeats_.renewed("n", "2026-01-01T00:00:10.000000Z");
  heartbeats_.renewed("n", "2026-01-01T00:00:09.000000Z");
  EXPECT_EQ(silence(), seconds(10));
  heartbeats_.renewed("n", "2026-01-01T00:00:11.000000Z");
  EXPECT_EQ(silence(), seconds(0));
}

TEST_F(HeartbeatsTest, CountsFromCreationWithoutAStatus) {
  clock_.advance(seconds(100));
  heartbeats_.observe("n", node(""));
  EXPECT_EQ(silence(), seconds(100));
  heartbeats_.observe("n", node("a"));
  EXPECT_EQ(silence(), seconds(0));
}

TEST_F(HeartbeatsTest, ALeaseCountsBeforeItsNodeIsThere) {
  heartbeats_.renewed("n", "2026-01-01T00:00:10.000000Z");
  clock_.advance(seconds(10));
  heartbeats_.observe("n", node(""));
  EXPECT_EQ(silence(), seconds(10));
  heartbeats_.lease_gone("n");
  EXPECT_EQ(silence(), seconds(10)) << "without its lease, the node is still there";
}

TEST_F(HeartbeatsTest, RestartsAllGracePeriods) {
  heartbeats_.observe("n", node("a"));
  clock_.advance(seconds(10));
  heartbeats_.restart();
  EXPECT_EQ(silence(), seconds(0));
}

}  // namespace
}  // namespace proa::controllers::nodes
