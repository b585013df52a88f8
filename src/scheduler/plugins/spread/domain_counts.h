#pragma once

#include <cstdint>
#include <vector>

#include "scheduler/model/domains.h"

namespace proa::scheduler {

// How many pods each domain has, and the least of these numbers, which costs nothing to ask for:
// beside each number stands how many domains have it.
class DomainCounts {
 public:
  // Domains below that number; none of them is eligible yet.
  explicit DomainCounts(size_t domains = 0) : counts_(domains, 0), eligible_(domains, 0) {}

  // From now on it is one of those that are compared. REQUIRES: nothing is counted in it yet.
  void make_eligible(DomainIndex domain);
  // REQUIRES: it is eligible, and keeps no less than nothing.
  void add(DomainIndex domain, int32_t pods);

  // Zero for those that are not eligible.
  int32_t of(DomainIndex domain) const { return counts_[domain]; }
  // Of the eligible ones; zero when there are none.
  int32_t least() const { return least_; }
  int32_t eligible() const { return eligible_count_; }

 private:
  std::vector<int32_t> counts_;
  std::vector<uint8_t> eligible_;
  std::vector<int32_t> with_count_;  // how many eligible domains have 0, 1, 2... pods
  int32_t least_ = 0;
  int32_t eligible_count_ = 0;
};

}  // namespace proa::scheduler
