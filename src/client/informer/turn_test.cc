#include "client/informer/turn.h"

#include <gtest/gtest.h>

namespace proa::client {
namespace {

constexpr Steady kNow{std::chrono::hours(1)};

TEST(Turn, IsWantedUntilSomebodyHasLooked) {
  Turn turn;
  EXPECT_TRUE(turn.wanted(kNow));
  turn.begin();
  turn.end(Steady::max());
  EXPECT_FALSE(turn.wanted(kNow));
}

TEST(Turn, IsWantedAgainWhenItWasWokenDuringTheLook) {
  Turn turn;
  turn.begin();
  turn.waker()();
  turn.end(Steady::max());
  EXPECT_TRUE(turn.wanted(kNow));
}

TEST(Turn, IsWantedWhenItsTimeHasCome) {
  Turn turn;
  turn.begin();
  turn.end(kNow + std::chrono::seconds(1));
  EXPECT_FALSE(turn.wanted(kNow));
  EXPECT_TRUE(turn.wanted(kNow + std::chrono::seconds(1)));
}

}  // namespace
}  // namespace proa::client
