#include "scheduler/plugins/spread/domain_counts.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"

namespace proa::scheduler {
namespace {

TEST(DomainCounts, LeastIsZeroWhereNoDomainIsEligible) {
  const DomainCounts none;
  EXPECT_EQ(none.least(), 0);
  EXPECT_EQ(none.eligible(), 0);
  const DomainCounts three(3);
  EXPECT_EQ(three.least(), 0);
  EXPECT_EQ(three.eligible(), 0);
  EXPECT_EQ(three.of(2), 0);
}

TEST(DomainCounts, DomainsThatAreNotEligibleAreNotCompared) {
  DomainCounts counts(3);
  counts.make_eligible(0);
  counts.make_eligible(0);
  counts.make_eligible(2);
  EXPECT_EQ(counts.eligible(), 2);
  counts.add(0, 3);
  EXPECT_EQ(counts.least(), 0);
  counts.add(2, 2);
  EXPECT_EQ(counts.least(), 2);
  counts.add(0, -3);
  EXPECT_EQ(counts.least(), 0);
}

TEST(DomainCounts, LeastIsThatOfAllWhateverCameAndWent) {
  SeededRandom random(7);
  constexpr DomainIndex kDomains = 6;
  DomainCounts counts(kDomains);
  std::vector<int32_t> plain(kDomains, 0);
  for (DomainIndex domain = 0; domain < kDomains; ++domain) counts.make_eligible(domain);
  for (int i = 0; i < 3000; ++i) {
    const auto domain = static_cast<DomainIndex>(random.below(kDomains));
    const auto pods = static_cast<int32_t>(random.below(4)) - (i % 300 < 150 ? 1 : 2);
    if (plain[domain] + pods < 0) continue;
    plain[domain] += pods;
    counts.add(domain, pods);
    ASSERT_EQ(counts.of(domain), plain[domain]);
    ASSERT_EQ(counts.least(), *std::min_element(plain.begin(), plain.end()));
  }
}

}  // namespace
}  // namespace proa::scheduler
