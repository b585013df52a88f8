#include "scheduler/framework/normalize.h"

#include <gtest/gtest.h>

#include <vector>

namespace proa::scheduler {
namespace {

using Scores = std::vector<int64_t>;

TEST(NormalizeToMax, StretchesTheHighestTo100) {
  struct Case {
    const char* name;
    Scores scores;
    Scores straight;
    Scores reversed;
  };
  const Case cases[] = {
      {"even steps", {1, 2, 3, 4}, {25, 50, 75, 100}, {75, 50, 25, 0}},
      {"rests are cut off before reversing", {1000, 10, 20, 39}, {100, 1, 2, 3}, {0, 99, 98, 97}},
      {"all the same", {1, 1}, {100, 100}, {0, 0}},
      {"far behind", {1000, 1}, {100, 0}, {0, 100}},
      {"one has nothing", {0, 1, 1}, {0, 100, 100}, {100, 0, 0}},
      {"all have nothing", {0, 0}, {0, 0}, {100, 100}},
      {"no nodes", {}, {}, {}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    Scores straight = c.scores;
    normalize_to_max(straight, false);
    EXPECT_EQ(straight, c.straight);
    Scores reversed = c.scores;
    normalize_to_max(reversed, true);
    EXPECT_EQ(reversed, c.reversed);
  }
}

}  // namespace
}  // namespace proa::scheduler
