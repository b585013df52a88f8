#include "base/metrics/sliding_summary.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace proa {
namespace sliding_summary {

constexpr double kLeast = 1e-6;
constexpr double kGrowth = 1.05;

}  // namespace sliding_summary

size_t SlidingSummary::bucket_of(double seconds) {
  static const double kScale = 1 / std::log(sliding_summary::kGrowth);
  if (!(seconds > sliding_summary::kLeast)) return 0;
  const double bucket = std::log(seconds / sliding_summary::kLeast) * kScale;
  return static_cast<size_t>(std::min(bucket, double{kBuckets - 1}));
}

double SlidingSummary::middle_of(size_t bucket) {
  return sliding_summary::kLeast *
         std::pow(sliding_summary::kGrowth, static_cast<double>(bucket) + 0.5);
}

void SlidingSummary::observe(double seconds, Moment now) {
  const size_t bucket = bucket_of(seconds);
  const int64_t number = slot_at(now);
  MutexLock lock(mutex_);
  Slot& slot = slots_[static_cast<size_t>(number) % kSlots];
  if (slot.number != number) slot = {.number = number};
  ++slot.counts[bucket];
  sum_ += seconds;
  ++count_;
}

SummaryValue SlidingSummary::value(std::span<const double> ranks, Moment now) const {
  const int64_t oldest = slot_at(now) - static_cast<int64_t>(kSlots) + 1;
  std::array<uint64_t, kBuckets> counts = {};
  SummaryValue value;
  {
    MutexLock lock(mutex_);
    value.sum = sum_;
    value.count = count_;
    for (const Slot& slot : slots_) {
      if (slot.number < std::max<int64_t>(oldest, 0)) continue;
      for (size_t i = 0; i < kBuckets; ++i) counts[i] += slot.counts[i];
    }
  }
  uint64_t all = 0;
  for (const uint64_t count : counts) all += count;
  size_t bucket = 0;
  uint64_t below = counts[0];
  for (const double rank : ranks) {
    const auto wanted =
        std::max<uint64_t>(1, static_cast<uint64_t>(std::ceil(rank * static_cast<double>(all))));
    while (below < wanted && bucket + 1 < kBuckets) below += counts[++bucket];
    value.quantiles.push_back(
        {rank, all == 0 ? std::numeric_limits<double>::quiet_NaN() : middle_of(bucket)});
  }
  return value;
}

}  // namespace proa
