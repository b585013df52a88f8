#include "policy/model/turns.h"

#include <gtest/gtest.h>

namespace proa::policy {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(Turns, LargePoliciesRestAfterTheyTookLong) {
  Turns turns;
  const Steady now{seconds(100)};
  EXPECT_EQ(turns.take("a", now), std::nullopt);
  EXPECT_EQ(turns.take("a", now), std::nullopt) << "one turn is for all that have changed";
  turns.written(now, now + milliseconds(100));
  const Steady until = now + milliseconds(400);
  EXPECT_EQ(turns.take("a", now + milliseconds(200)), until);
  EXPECT_EQ(turns.take("b", now + milliseconds(200)), std::nullopt);
  // What rests has no part in what others take.
  turns.written(now + milliseconds(200), now + milliseconds(300));
  EXPECT_EQ(turns.take("a", until), std::nullopt);
  EXPECT_EQ(turns.take("b", until), now + milliseconds(600));
  turns.written(until, until + seconds(60));
  EXPECT_EQ(turns.take("a", until + seconds(60)), until + seconds(65));
}

TEST(Turns, OrdinaryOnesDoNot) {
  Turns turns;
  const Steady now{seconds(100)};
  EXPECT_EQ(turns.take("a", now), std::nullopt);
  turns.written(now, now + milliseconds(10));
  EXPECT_EQ(turns.take("a", now + milliseconds(10)), std::nullopt);
}

TEST(LargePolicy, HasManyBlocksPortsOrSelectors) {
  PolicyFacts facts{.from = {{.peers = {PodPeer{}, AddressPeer{}}, .ports = {{}, {}}}}};
  EXPECT_FALSE(is_large(facts));
  PolicyFacts selectors = facts;
  selectors.to.push_back({.peers = std::vector<Peer>(20, PodPeer{})});
  EXPECT_TRUE(is_large(selectors));
  PolicyFacts ports = facts;
  ports.from[0].ports.resize(1000);
  EXPECT_TRUE(is_large(ports));
  PolicyFacts excepted = facts;
  std::get<AddressPeer>(excepted.from[0].peers[1]).except.resize(1000);
  EXPECT_TRUE(is_large(excepted));
}

}  // namespace
}  // namespace proa::policy
