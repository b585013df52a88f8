#include "scheduler/plugins/spread/domain_counts.h"

#include "base/check.h"

namespace proa::scheduler {

void DomainCounts::make_eligible(DomainIndex domain) {
  if (eligible_[domain] != 0) return;
  eligible_[domain] = 1;
  ++eligible_count_;
  if (with_count_.empty()) with_count_.resize(1, 0);
  ++with_count_[0];
  least_ = 0;
}

void DomainCounts::add(DomainIndex domain, int32_t pods) {
  const int32_t before = counts_[domain];
  const int32_t after = before + pods;
  CHECK(after >= 0 && eligible_[domain] != 0);
  if (static_cast<size_t>(after) >= with_count_.size()) with_count_.resize(after + 1, 0);
  counts_[domain] = after;
  --with_count_[before];
  ++with_count_[after];
  if (after < least_) least_ = after;
  // One step for one pod: the domain that left the least number has the next one.
  while (with_count_[least_] == 0) ++least_;
}

}  // namespace proa::scheduler
