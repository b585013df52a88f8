#include "apiserver/front/fairness/queues/shuffle_shard.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/random.h"
#include "testkit/case_random.h"

namespace proa::apiserver::fairness {
namespace {

TEST(Dealer, RefusesSizesThatAHashCannotDeal) {
  EXPECT_FALSE(Dealer::make(0, 1));
  EXPECT_FALSE(Dealer::make(8, 0));
  EXPECT_FALSE(Dealer::make(4, 5));
  EXPECT_FALSE(Dealer::make((1 << 26) + 1, 1));
  EXPECT_FALSE(Dealer::make(1024, 7)) << "needs 70 bits";
  EXPECT_TRUE(Dealer::make(1024, 6));
  EXPECT_TRUE(Dealer::make(16, 15));
  EXPECT_TRUE(Dealer::make(1, 1));
}

TEST(Dealer, DealsWhatUpstreamDeals) {
  // Digits of 47 in the bases 4 and 3: 3 and 2 (47 = 3 + 4 * 11, 11 = 2 + 3 * 3).
  const Dealer::Hand hand = Dealer::make(4, 2)->deal(47);
  ASSERT_EQ(hand.size, 2);
  EXPECT_EQ(hand.cards[0], 3);
  EXPECT_EQ(hand.cards[1], 2);
  // The second digit 1 means the second of those that are left: 0, 2, 3.
  const Dealer::Hand other = Dealer::make(4, 2)->deal(1 + 4 * 1);
  EXPECT_EQ(other.cards[0], 1);
  EXPECT_EQ(other.cards[1], 2);
}

TEST(Dealer, DealsDifferentQueuesEvenly) {
  testkit::CaseRandom random;
  const Dealer dealer = *Dealer::make(64, 6);
  std::vector<int> dealt(64);
  constexpr int kHands = 20'000;
  for (int i = 0; i < kHands; ++i) {
    const Dealer::Hand hand = dealer.deal(random.below(UINT64_MAX));
    std::set<int> cards;
    for (const int card : hand.all()) {
      ASSERT_TRUE(card >= 0 && card < 64);
      cards.insert(card);
      ++dealt[static_cast<size_t>(card)];
    }
    ASSERT_EQ(cards.size(), 6u);
  }
  const auto [least, most] = std::ranges::minmax(dealt);
  EXPECT_GT(least, kHands * 6 / 64 * 8 / 10);
  EXPECT_LT(most, kHands * 6 / 64 * 12 / 10);
}

// The point of it all: of many small flows, hardly one shares its whole hand with one of the
// greedy.
TEST(Dealer, KeepsSmallFlowsApartFromGreedyOnes) {
  testkit::CaseRandom random;
  const Dealer dealer = *Dealer::make(128, 6);
  std::set<int> taken;
  for (int i = 0; i < 4; ++i) {
    const Dealer::Hand hand = dealer.deal(random.below(UINT64_MAX));
    for (const int card : hand.all()) taken.insert(card);
  }
  int squished = 0;
  for (int i = 0; i < 10'000; ++i) {
    const Dealer::Hand hand = dealer.deal(random.below(UINT64_MAX));
    squished += std::ranges::all_of(hand.all(), [&](int card) { return taken.contains(card); });
  }
  EXPECT_LE(squished, 10);  // about one in 30,000 is expected
}

TEST(HashFlow, DependsOnBothNames) {
  EXPECT_EQ(hash_flow(1, "jane"), hash_flow(1, "jane"));
  EXPECT_NE(hash_flow(1, "jane"), hash_flow(1, "joe"));
  EXPECT_NE(hash_flow(1, "jane"), hash_flow(2, "jane"));
}

}  // namespace
}  // namespace proa::apiserver::fairness
