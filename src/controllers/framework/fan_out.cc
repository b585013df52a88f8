#include "controllers/framework/fan_out.h"

#include <algorithm>
#include <atomic>

#include "base/threads/group.h"

namespace proa::controllers {
namespace fan_out_batch {

// More at once gain little: a commit takes all of them, and each one holds a thread.
constexpr size_t kMostAtOnce = 64;

FanOut run_batch(WorkerPool& pool, size_t first, size_t count,
                 const std::function<Result<void>(size_t)>& write) {
  SystemClock clock;  // nobody waits for a moment here
  std::atomic<size_t> done = 0;
  Group group(pool, clock);
  for (size_t i = first; i < first + count; ++i) {
    group.run([&write, &done, i](const std::stop_token&) -> Result<void> {
      TRY(write(i));
      ++done;
      return {};
    });
  }
  Result<void> outcome = group.wait();
  return {done, std::move(outcome)};
}

}  // namespace fan_out_batch

FanOut fan_out(WorkerPool& pool, size_t count, const std::function<Result<void>(size_t)>& write) {
  FanOut all;
  for (size_t first = 0, size = 1; first < count;) {
    const size_t batch = std::min(size, count - first);
    FanOut one = fan_out_batch::run_batch(pool, first, batch, write);
    all.done += one.done;
    if (!one.outcome) {
      all.outcome = std::move(one.outcome);
      return all;
    }
    first += batch;
    size = std::min(2 * size, fan_out_batch::kMostAtOnce);
  }
  return all;
}

}  // namespace proa::controllers
