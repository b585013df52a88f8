#pragma once

#include <cstdint>
#include <vector>

#include "scheduler/model/domains.h"

namespace proa::scheduler {

// The number of pods per domain, with constant-time access to the minimum: the number of domains
// per count is kept too.
class DomainCounts {
 public:
  // Adds domains below that number, none of them eligible.
  explicit DomainCounts(size_t domains = 0) : counts_(domains, 0), eligible_(domains, 0) {}

  // Makes the domain eligible. REQUIRES: its count is zero.
  void make_eligible(DomainIndex domain);
  // REQUIRES: it is eligible, and its count does not become negative.
  void add(DomainIndex domain, int32_t pods);

  // Zero for those that are not eligible.
  int32_t of(DomainIndex domain) const { return counts_[domain]; }
  // The minimum over eligible domains; zero if there are none.
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
