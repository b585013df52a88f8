#pragma once

#include <functional>

#include "base/result.h"
#include "base/threads/pool.h"

namespace proa::controllers {

// Calls `write(i)` for i from 0 to count - 1, many at once, so that they share commits. At first
// few, then twice as many each time: when all of them fail (a quota is used up), not all are tried.
// How many succeeded, and the first failure; none are tried behind a batch with a failure in it.
struct FanOut {
  size_t done = 0;
  Result<void> outcome;
};
FanOut fan_out(WorkerPool& pool, size_t count, const std::function<Result<void>(size_t)>& write);

}  // namespace proa::controllers
