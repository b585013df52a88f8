#pragma once

#include <cstddef>
#include <vector>

#include "scheduler/framework/verdict.h"

namespace proa::scheduler {

class Plugin;

// What a node was rejected for, and by whom.
struct Rejection {
  Verdict verdict = {};
  const Plugin* plugin = nullptr;  // null: the node takes the pod, or was not asked

  bool operator==(const Rejection&) const = default;
};

// How many nodes were rejected in the same way: the few rejections that thousands of nodes share,
// so that who sums them up need not look at each node.
class RejectionTally {
 public:
  struct Line {
    Rejection rejection = {};
    size_t nodes = 0;  // never zero
  };

  void clear() { lines_.clear(); }
  // Nodes that take the pod are not counted.
  void add(const Rejection& rejection, size_t nodes = 1);
  // REQUIRES: it was added before.
  void remove(const Rejection& rejection);

  // In no order.
  const std::vector<Line>& lines() const { return lines_; }
  // The nodes that were rejected with that code.
  size_t count(Code code) const;

 private:
  std::vector<Line> lines_;
};

}  // namespace proa::scheduler
