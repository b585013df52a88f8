#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

#include "base/time.h"

namespace proa::http {

// Allows a burst, then a number of events per second. One thread only.
class RateLimit {
 public:
  RateLimit(uint32_t burst, uint32_t per_second)
      : burst_(burst), per_second_(per_second), left_(burst) {}

  // Counts an event; false if it is one too many.
  bool allow(Steady now) {
    const double seconds = last_ ? std::chrono::duration<double>(now - *last_).count() : 0;
    last_ = now;
    left_ = std::min<double>(burst_, left_ + seconds * per_second_);
    if (left_ < 1) return false;
    left_ -= 1;
    return true;
  }

 private:
  const uint32_t burst_;
  const uint32_t per_second_;
  double left_;
  std::optional<Steady> last_;
};

}  // namespace proa::http
