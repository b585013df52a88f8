#pragma once

#include <map>
#include <string>

#include "scheduler/framework/verdict.h"

namespace proa::scheduler {

// For which reasons nodes were rejected, and how many of them.
class ReasonCounts {
 public:
  void add(const Verdict& verdict, size_t nodes = 1);
  void add(const std::string& reason, size_t nodes) { counts_[reason] += nodes; }

  // "0/5 nodes are available: 2 Insufficient cpu, 3 node(s) ...": upstream's words, by their text.
  std::string none_available(size_t nodes) const;

 private:
  // Most nodes share few verdicts, whose reasons lie in one place each.
  std::map<const Verdict::Reasons*, size_t> verdicts_;
  std::map<std::string, size_t> counts_;
};

}  // namespace proa::scheduler
