#pragma once

#include <cstddef>
#include <vector>

#include "scheduler/framework/verdict.h"

namespace proa::scheduler {

class Plugin;

// Why a node was rejected, and by which plugin.
struct Rejection {
  Verdict verdict = {};
  const Plugin* plugin = nullptr;  // null: the node fits or was not evaluated

  bool operator==(const Rejection&) const = default;
};

// Counts equal rejections. Thousands of nodes share few rejections, so that summaries need not
// visit every node.
class RejectionTally {
 public:
  struct Line {
    Rejection rejection = {};
    size_t nodes = 0;  // never zero
  };

  void clear() { lines_.clear(); }
  // Nodes that fit are not counted.
  void add(const Rejection& rejection, size_t nodes = 1);
  // REQUIRES: it was added before.
  void remove(const Rejection& rejection);

  // Unordered.
  const std::vector<Line>& lines() const { return lines_; }
  // The number of nodes rejected with that code.
  size_t count(Code code) const;

 private:
  std::vector<Line> lines_;
};

}  // namespace proa::scheduler
