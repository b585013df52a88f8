#pragma once

#include "base/random.h"
#include "base/time.h"

namespace proa::client {

// How long to wait before the next attempt: twice as long each time, up to a bound, and a random
// part more, so that those who failed together don't come back together.
struct Backoff {
  Duration first = std::chrono::milliseconds(5);
  Duration most = std::chrono::seconds(1000);
  double jitter = 0.1;  // up to this part of the wait is added

  // REQUIRES: failures > 0.
  Duration after(int failures, Random& random) const;
};

// `period` and up to `factor` of it more.
Duration jittered(Duration period, double factor, Random& random);

}  // namespace proa::client
