#pragma once

#include <list>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/clock.h"

namespace proa::apiserver {

// Token buckets by key, with a bounded number of keys. The least recently used is evicted and would
// start again with a full bucket. Thread-safe.
class RateBuckets {
 public:
  struct Rate {
    int64_t per_second = 1;
    int64_t burst = 1;  // capacity of a bucket
  };

  // REQUIRES: all numbers are positive; the clock outlives it.
  RateBuckets(const Rate& rate, size_t max_keys, const Clock& clock);

  // Takes a token; false if the bucket is empty.
  bool take(std::string_view key) EXCLUDES(mutex_);

 private:
  struct Bucket {
    std::string key;
    double tokens;
    Steady since;  // the time of the last update of `tokens`
  };
  Bucket& bucket(std::string_view key, Steady now) REQUIRES(mutex_);

  const Rate rate_;
  const size_t max_keys_;
  const Clock& clock_;
  Mutex mutex_;
  std::list<Bucket> buckets_ GUARDED_BY(mutex_);  // most recently used first
  // Keys are views into the list.
  std::unordered_map<std::string_view, std::list<Bucket>::iterator> by_key_ GUARDED_BY(mutex_);
};

}  // namespace proa::apiserver
