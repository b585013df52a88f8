#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "base/random.h"
#include "scheduler/model/domains.h"

namespace proa::scheduler {

// A score per node with fast access to the maximum: nodes are kept in blocks with their maximum and
// its count, so that neither updates nor lookups visit all nodes.
class Leaderboard {
 public:
  static constexpr int64_t kOut = std::numeric_limits<int64_t>::min();

  void resize(size_t nodes);
  size_t size() const { return values_.size(); }
  int64_t operator[](NodeIndex node) const { return values_[node]; }
  // kOut: not a candidate.
  void set(NodeIndex node, int64_t value);

  // A random node among those with the highest score; nullopt if all are out.
  std::optional<NodeIndex> pick(Random& random) const;

 private:
  static constexpr size_t kBlock = 64;
  struct Block {
    int64_t most = kOut;
    uint32_t count = 0;  // nodes with the maximum
  };

  void look_over(size_t block);

  std::vector<int64_t> values_;
  std::vector<Block> blocks_;
};

}  // namespace proa::scheduler
