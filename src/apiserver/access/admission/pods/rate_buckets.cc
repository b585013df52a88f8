#include "apiserver/access/admission/pods/rate_buckets.h"

#include <algorithm>

#include "base/check.h"
#include "crypto/digest.h"

namespace proa::apiserver {
RateBuckets::RateBuckets(const Rate& rate, size_t most_keys, const Clock& clock)
    : rate_(rate), most_keys_(most_keys), clock_(clock) {
  CHECK(rate.per_second > 0 && rate.burst > 0 && most_keys > 0);
}

RateBuckets::Bucket& RateBuckets::bucket(std::string_view key, Steady now) {
  // Keys come from clients, and may be of any length: what is kept has a fixed one.
  std::string kept = crypto::sha256(key).str();
  if (const auto found = by_key_.find(kept); found != by_key_.end()) {
    buckets_.splice(buckets_.begin(), buckets_, found->second);
    return buckets_.front();
  }
  if (buckets_.size() == most_keys_) {
    by_key_.erase(buckets_.back().key);
    buckets_.pop_back();
  }
  buckets_.push_front({std::move(kept), static_cast<double>(rate_.burst), now});
  by_key_.emplace(buckets_.front().key, buckets_.begin());
  return buckets_.front();
}

bool RateBuckets::take(std::string_view key) {
  const Steady now = clock_.steady();
  const auto per_second = static_cast<double>(rate_.per_second);
  // What comes in within a nanosecond: as exact as time is told.
  const double tolerance = per_second * 1e-9;
  MutexLock lock(mutex_);
  Bucket& found = bucket(key, now);
  // Another thread may have read the clock after us and come here first.
  const Duration passed = std::max(now - found.since, Duration(0));
  const double tokens =
      std::min(static_cast<double>(rate_.burst),
               found.tokens + std::chrono::duration<double>(passed).count() * per_second);
  if (tokens + tolerance < 1) return false;
  found.tokens = std::max(tokens - 1, 0.0);
  found.since = std::max(now, found.since);
  return true;
}

}  // namespace proa::apiserver
