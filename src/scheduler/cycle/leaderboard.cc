#include "scheduler/cycle/leaderboard.h"

#include <algorithm>

namespace proa::scheduler {

void Leaderboard::resize(size_t nodes) {
  values_.resize(nodes, kOut);
  blocks_.resize((nodes + kBlock - 1) / kBlock);
}

void Leaderboard::set(NodeIndex node, int64_t value) {
  const int64_t before = std::exchange(values_[node], value);
  Block& block = blocks_[node / kBlock];
  if (before == block.most) {
    // It may have been the last one of the greatest.
    if (value < before && --block.count == 0) return look_over(node / kBlock);
    if (value == before) return;
  }
  if (value == kOut || value < block.most) return;
  if (value == block.most) {
    ++block.count;
  } else {
    block = {.most = value, .count = 1};
  }
}

void Leaderboard::look_over(size_t block) {
  Block found;
  const size_t end = std::min(values_.size(), (block + 1) * kBlock);
  for (size_t i = block * kBlock; i < end; ++i) {
    if (values_[i] == kOut || values_[i] < found.most) continue;
    found.count = values_[i] == found.most ? found.count + 1 : 1;
    found.most = values_[i];
  }
  blocks_[block] = found;
}

std::optional<NodeIndex> Leaderboard::pick(Random& random) const {
  int64_t most = kOut;
  uint64_t ties = 0;
  for (const Block& block : blocks_) {
    if (block.most == kOut || block.most < most) continue;
    ties = block.most == most ? ties + block.count : block.count;
    most = block.most;
  }
  if (most == kOut) return std::nullopt;
  uint64_t skip = ties == 1 ? 0 : random.below(ties);
  for (size_t i = 0; i < blocks_.size(); ++i) {
    if (blocks_[i].most != most) continue;
    if (skip >= blocks_[i].count) {
      skip -= blocks_[i].count;
      continue;
    }
    for (size_t node = i * kBlock;; ++node) {
      if (values_[node] == most && skip-- == 0) return static_cast<NodeIndex>(node);
    }
  }
  return std::nullopt;
}

}  // namespace proa::scheduler
