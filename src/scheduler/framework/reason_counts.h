#pragma once

#include <map>
#include <string>

#include "scheduler/framework/verdict.h"

namespace proa::scheduler {

// The reasons for which nodes were rejected, with counts.
class ReasonCounts {
 public:
  void add(const Verdict& verdict, size_t nodes = 1);
  void add(const std::string& reason, size_t nodes) { counts_[reason] += nodes; }

  // "0/5 nodes are available: 2 Insufficient cpu, 3 node(s) ...": upstream's message, sorted by
  // text.
  std::string none_available(size_t nodes) const;

 private:
  // Few distinct verdicts are shared by most nodes; their reasons have stable addresses.
  std::map<const Verdict::Reasons*, size_t> verdicts_;
  std::map<std::string, size_t> counts_;
};

}  // namespace proa::scheduler
