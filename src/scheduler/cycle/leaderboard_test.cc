#include "scheduler/cycle/leaderboard.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace proa::scheduler {
namespace {

TEST(Leaderboard, HasNobodyAtFirst) {
  SeededRandom random(1);
  Leaderboard board;
  EXPECT_FALSE(board.pick(random));
  board.resize(100);
  EXPECT_FALSE(board.pick(random));
  board.set(99, -5);
  EXPECT_EQ(board.pick(random), 99u);
  board.set(99, Leaderboard::kOut);
  EXPECT_FALSE(board.pick(random));
}

// Against a walk over all of them.
TEST(Leaderboard, KnowsTheGreatestAfterAnyChange) {
  SeededRandom random(5);
  Leaderboard board;
  std::vector<int64_t> expected;
  for (int i = 0; i < 20'000; ++i) {
    if (i % 500 == 0) {
      board.resize(expected.size() + 7);
      expected.resize(expected.size() + 7, Leaderboard::kOut);
    }
    const auto node = static_cast<NodeIndex>(random.below(expected.size()));
    const uint64_t value = random.below(6);
    expected[node] = value == 0 ? Leaderboard::kOut : static_cast<int64_t>(value);
    board.set(node, expected[node]);
    ASSERT_EQ(board[node], expected[node]);
    const int64_t most = *std::max_element(expected.begin(), expected.end());
    const std::optional<NodeIndex> picked = board.pick(random);
    ASSERT_EQ(picked.has_value(), most != Leaderboard::kOut);
    if (picked) {
      ASSERT_EQ(expected[*picked], most);
    }
  }
  ASSERT_EQ(board.size(), expected.size());
}

// With 10,000 draws each of ten is expected 1,000 times; five deviations are 150.
TEST(Leaderboard, BreaksTiesEvenlyWhereverTheyAre) {
  SeededRandom random(9);
  Leaderboard board;
  board.resize(300);
  for (NodeIndex node = 0; node < 300; ++node) board.set(node, 1);
  const std::vector<NodeIndex> tied = {0, 1, 2, 63, 64, 130, 131, 200, 298, 299};
  for (const NodeIndex node : tied) board.set(node, 7);
  std::map<NodeIndex, int> counts;
  for (int i = 0; i < 10'000; ++i) ++counts[*board.pick(random)];
  ASSERT_EQ(counts.size(), tied.size());
  for (const NodeIndex node : tied) EXPECT_NEAR(counts[node], 1000, 150) << node;
}

}  // namespace
}  // namespace proa::scheduler
