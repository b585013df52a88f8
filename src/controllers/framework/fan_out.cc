#include "controllers/framework/fan_out.h"

#include <algorithm>
#include <memory>

#include "base/threads/mutex.h"

namespace proa::controllers {
namespace fan_out_batch {

// More at once gain little: a commit takes all of them, and each one holds a thread.
constexpr size_t kMostAtOnce = 64;

// Writes that nobody has begun yet are there for whoever has time: also for the thread that waits
// for all of them, so that it is never stuck behind others that wait as well.
class Batch {
 public:
  Batch(size_t first, size_t count, const std::function<Result<void>(size_t)>& write)
      : first_(first), count_(count), left_(count), write_(write) {}

  void work() EXCLUDES(mutex_) {
    while (true) {
      size_t index = 0;
      {
        MutexLock lock(mutex_);
        if (begun_ == count_) return;
        index = begun_++;
      }
      Result<void> written = write_(first_ + index);
      MutexLock lock(mutex_);
      if (written) {
        ++done_;
      } else if (outcome_) {
        outcome_ = std::move(written);
      }
      if (--left_ == 0) over_.notify_all();
    }
  }

  FanOut wait() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    while (left_ > 0) over_.wait(mutex_);
    return {done_, outcome_};
  }

 private:
  const size_t first_;
  const size_t count_;
  Mutex mutex_;
  CondVar over_;
  size_t begun_ GUARDED_BY(mutex_) = 0;
  size_t left_ GUARDED_BY(mutex_);
  size_t done_ GUARDED_BY(mutex_) = 0;
  Result<void> outcome_ GUARDED_BY(mutex_);
  const std::function<Result<void>(size_t)>& write_;
};

FanOut run_batch(WorkerPool& pool, size_t first, size_t count,
                 const std::function<Result<void>(size_t)>& write) {
  const auto batch = std::make_shared<Batch>(first, count, write);
  for (size_t i = 1; i < count; ++i) {
    if (!pool.submit([batch] { batch->work(); })) break;
  }
  batch->work();
  return batch->wait();
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
