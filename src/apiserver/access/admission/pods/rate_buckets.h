#pragma once

#include <list>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/clock.h"

namespace proa::apiserver {

// A bucket of tokens for each key, which fills up again as time goes by. Only so many keys are
// remembered, those that were asked for last: one that was forgotten starts with a full bucket.
// Safe to use from any thread.
class RateBuckets {
 public:
  struct Rate {
    int64_t per_second = 1;
    int64_t burst = 1;  // how much a bucket holds
  };

  // REQUIRES: all numbers are positive; the clock outlives it.
  RateBuckets(const Rate& rate, size_t most_keys, const Clock& clock);

  // Takes a token out of that bucket; false when it is empty.
  bool take(std::string_view key) EXCLUDES(mutex_);

 private:
  struct Bucket {
    std::string key;
    double tokens;
    Steady since;  // when there were so many
  };
  Bucket& bucket(std::string_view key, Steady now) REQUIRES(mutex_);

  const Rate rate_;
  const size_t most_keys_;
  const Clock& clock_;
  Mutex mutex_;
  std::list<Bucket> buckets_ GUARDED_BY(mutex_);  // the one that was asked for last in front
  // Keys are views into the list.
  std::unordered_map<std::string_view, std::list<Bucket>::iterator> by_key_ GUARDED_BY(mutex_);
};

}  // namespace proa::apiserver
