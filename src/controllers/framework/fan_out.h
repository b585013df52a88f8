#pragma once

#include <functional>

#include "base/result.h"
#include "base/threads/pool.h"

namespace proa::controllers {

// Calls `write(i)` for i in [0, count) concurrently, so that the writes share commits. Batches
// double in size, starting small: if writes fail (a quota is exhausted), few are attempted. Returns
// the number of successes and the first failure; stops after a batch with a failure. Upstream's
// slowStartBatch.
struct FanOut {
  size_t done = 0;
  Result<void> outcome;
};
FanOut fan_out(WorkerPool& pool, size_t count, const std::function<Result<void>(size_t)>& write);

}  // namespace proa::controllers
