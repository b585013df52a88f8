#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "base/random.h"
#include "scheduler/model/domains.h"

namespace proa::scheduler {

// A number for each node, and the greatest of them at hand: nodes are kept in blocks, each with its
// greatest number and how many nodes have it, so that neither a change nor a look walks over all
// nodes.
class Leaderboard {
 public:
  static constexpr int64_t kOut = std::numeric_limits<int64_t>::min();

  void resize(size_t nodes);
  size_t size() const { return values_.size(); }
  int64_t operator[](NodeIndex node) const { return values_[node]; }
  // kOut: it is none of them.
  void set(NodeIndex node, int64_t value);

  // One of those with the greatest number, each as likely as the others; nullopt when all are out.
  std::optional<NodeIndex> pick(Random& random) const;

 private:
  static constexpr size_t kBlock = 64;
  struct Block {
    int64_t most = kOut;
    uint32_t count = 0;  // nodes that have it
  };

  void look_over(size_t block);

  std::vector<int64_t> values_;
  std::vector<Block> blocks_;
};

}  // namespace proa::scheduler
