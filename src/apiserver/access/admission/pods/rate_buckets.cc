#include "apiserver/access/admission/pods/rate_buckets.h"

#include <algorithm>

#include "base/check.h"
#include "crypto/digest.h"

namespace proa::apiserver {
RateBuckets::RateBuckets(const Rate& rate, size_t max_keys, const Clock& clock)
    : rate_(rate), max_keys_(max_keys), clock_(clock) {
  CHECK(rate.per_second > 0 && rate.burst > 0 && max_keys > 0);
}

RateBuckets::Bucket& RateBuckets::bucket(std::string_view key, Steady now) {
  // Keys come from clients and may be of any length: a hash bounds the memory.
  std::string kept = crypto::sha256(key).str();
  if (const auto found = by_key_.find(kept); found != by_key_.end()) {
    buckets_.splice(buckets_.begin(), buckets_, found->second);
    return buckets_.front();
  }
  if (buckets_.size() == max_keys_) {
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
  // One nanosecond's worth: the resolution of the clock.
  const double tolerance = per_second * 1e-9;
  MutexLock lock(mutex_);
  Bucket& found = bucket(key, now);
  // Another thread may have read the clock later and locked first.
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
