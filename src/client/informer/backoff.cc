#include "client/informer/backoff.h"

#include "base/check.h"

namespace proa::client {

Duration Backoff::after(int failures, Random& random) const {
  CHECK(failures > 0);
  Duration wait = first;
  for (int i = 1; i < failures && wait < most; ++i) wait *= 2;
  return jittered(std::min(wait, most), jitter, random);
}

Duration jittered(Duration period, double factor, Random& random) {
  constexpr uint64_t kSteps = 1'000'000;
  const double part = static_cast<double>(random.below(kSteps)) / kSteps;
  return period +
         Duration(static_cast<int64_t>(static_cast<double>(period.count()) * factor * part));
}

}  // namespace proa::client
