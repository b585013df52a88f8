#pragma once

#include "base/random.h"
#include "base/time.h"

namespace proa::client {

// Exponential back-off: doubles each time, up to a bound, plus jitter, so that clients that failed
// together do not retry together.
struct Backoff {
  Duration first = std::chrono::milliseconds(5);
  Duration most = std::chrono::seconds(1000);
  double jitter = 0.1;  // adds up to this fraction of the wait

  // REQUIRES: failures > 0.
  Duration after(int failures, Random& random) const;
};

// `period` plus up to `factor` times `period`.
Duration jittered(Duration period, double factor, Random& random);

}  // namespace proa::client
