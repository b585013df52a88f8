#include "scheduler/framework/normalize.h"

#include <algorithm>

#include "scheduler/framework/plugin.h"

namespace proa::scheduler {

void normalize_to_max(std::span<int64_t> scores, bool reverse) {
  int64_t highest = 0;
  for (const int64_t score : scores) highest = std::max(highest, score);
  for (int64_t& score : scores) {
    const int64_t share = highest == 0 ? 0 : kMaxScore * score / highest;
    score = reverse ? kMaxScore - share : share;
  }
}

}  // namespace proa::scheduler
