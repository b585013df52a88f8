#pragma once

#include <cstddef>
#include <vector>

#include "base/time.h"

namespace proa::store::etcd {

// Which of several endpoints is used: one that failed is left for the next, and not used again
// until its back-off is over, unless all have failed. No I/O, no threads.
class Endpoints {
 public:
  // REQUIRES: count > 0.
  explicit Endpoints(size_t count) : states_(count) {}

  size_t choose(Steady now);
  void worked(size_t index) { states_[index] = {}; }
  void failed(size_t index, Steady now);
  size_t size() const { return states_.size(); }

 private:
  struct State {
    int failures = 0;
    Steady retry_at = Steady::min();
  };

  size_t current_ = 0;
  std::vector<State> states_;
};

}  // namespace proa::store::etcd
