#include "controllers/node/heartbeats.h"

#include <gtest/gtest.h>

#include "testkit/fake_clock.h"

namespace proa::controllers::nodes {
namespace {

using std::chrono::seconds;

class SignsOfLifeTest : public testing::Test {
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
  Duration silence() { return clock_.steady() - signs_.last("n"); }

  testkit::FakeClock clock_;
  SignsOfLife signs_{clock_};
};

TEST_F(SignsOfLifeTest, AHeartbeatThatChangesIsOne) {
  clock_.advance(seconds(100));
  signs_.looked_at("n", node("a"));
  EXPECT_EQ(silence(), seconds(0)) << "the first time, whatever it says";
  clock_.advance(seconds(10));
  signs_.looked_at("n", node("a"));
  EXPECT_EQ(silence(), seconds(10));
  signs_.looked_at("n", node("b"));
  EXPECT_EQ(silence(), seconds(0));
}

TEST_F(SignsOfLifeTest, ALaterRenewalIsOne) {
  signs_.looked_at("n", node("a"));
  signs_.renewed("n", "2026-01-01T00:00:10.000000Z");
  clock_.advance(seconds(10));
  signs_.renewed("n", "2026-01-01T00:00:10.000000Z");
  signs_.renewed("n", "2026-01-01T00:00:09.000000Z");
  EXPECT_EQ(silence(), seconds(10));
  signs_.renewed("n", "2026-01-01T00:00:11.000000Z");
  EXPECT_EQ(silence(), seconds(0));
}

TEST_F(SignsOfLifeTest, WhoNeverPostedIsSilentSinceItWasMade) {
  clock_.advance(seconds(100));
  signs_.looked_at("n", node(""));
  EXPECT_EQ(silence(), seconds(100));
  signs_.looked_at("n", node("a"));
  EXPECT_EQ(silence(), seconds(0));
}

TEST_F(SignsOfLifeTest, ALeaseCountsBeforeItsNodeIsThere) {
  signs_.renewed("n", "2026-01-01T00:00:10.000000Z");
  clock_.advance(seconds(10));
  signs_.looked_at("n", node(""));
  EXPECT_EQ(silence(), seconds(10));
  signs_.lease_gone("n");
  EXPECT_EQ(silence(), seconds(10)) << "without its lease, the node is still there";
}

TEST_F(SignsOfLifeTest, AllMayBeginAnew) {
  signs_.looked_at("n", node("a"));
  clock_.advance(seconds(10));
  signs_.begin_anew();
  EXPECT_EQ(silence(), seconds(0));
}

}  // namespace
}  // namespace proa::controllers::nodes
