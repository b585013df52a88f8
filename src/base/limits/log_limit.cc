#include "base/limits/log_limit.h"

#include <algorithm>
#include <utility>

namespace proa {

std::optional<uint64_t> LogLimit::next() {
  const Steady now = clock_.steady();
  MutexLock lock(mutex_);
  const Steady paid = std::max(paid_.value_or(now), now);
  if (paid - now > every_ * (burst_ - 1)) {
    ++omitted_;
    return std::nullopt;
  }
  paid_ = paid + every_;
  return std::exchange(omitted_, 0);
}

}  // namespace proa
