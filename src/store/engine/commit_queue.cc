#include "store/engine/commit_queue.h"

#include <algorithm>

#include "base/check.h"
#include "base/threads/futex.h"

namespace proa::store {
namespace commit_queue {

// Limits of a batch: the first request must not wait for a larger write than this.
constexpr size_t kMaxRequests = 1024;
constexpr size_t kMaxBytes = 4u << 20;

size_t bytes_of(const Txn& txn) {
  size_t bytes = 0;
  for (const Operation& operation : txn.operations) {
    if (const Put* put = std::get_if<Put>(&operation)) bytes += put->value.size();
  }
  return bytes;
}

}  // namespace commit_queue

void CommitQueue::submit(std::unique_ptr<CommitRequest> request) {
  MutexLock lock(mutex_);
  queue_.push_back(request.release());
  // A leader passes leadership on to the thread if there is more to do.
  if (!leading_ && queue_.size() == 1) work_.notify_one();
}

void CommitQueue::run(CommitRequest& request) {
  {
    MutexLock lock(mutex_);
    queue_.push_back(&request);
    ++waited_for_;
    if (!leading_) {
      leading_ = true;
      request.state = CommitRequest::kLeads;
    }
  }
  for (;;) {
    const int state = request.state.load();
    if (state == CommitRequest::kDone) return;
    if (state == CommitRequest::kLeads) {
      // The batch may be full before this request: then it waits like the others.
      request.state = CommitRequest::kQueued;
      lead();
    } else {
      int queued = CommitRequest::kQueued;
      request.state.compare_exchange_strong(queued, CommitRequest::kSleeps);
      futex_wait(request.state, CommitRequest::kSleeps);
    }
  }
}

void CommitQueue::lead_if_idle() {
  {
    MutexLock lock(mutex_);
    if (leading_ || queue_.empty()) return;
    leading_ = true;
  }
  lead();
}

CommitQueue::Work CommitQueue::work(Clock& clock) {
  {
    MutexLock lock(mutex_);
    for (;;) {
      if (stopping_ && queue_.empty()) return Work::kStop;
      // Before the queue: a stream of commits must not delay due work.
      if (clock.steady() >= due_) {
        due_ = Steady::max();
        return Work::kDue;
      }
      if (!leading_ && !queue_.empty()) break;
      clock.wait_until(work_, mutex_, due_);
    }
    leading_ = true;
  }
  lead();
  return Work::kLed;
}

void CommitQueue::wake_at(Steady time) {
  MutexLock lock(mutex_);
  if (time >= due_) return;
  due_ = time;
  work_.notify_one();
}

bool CommitQueue::take_due(Steady now) {
  MutexLock lock(mutex_);
  if (now < due_) return false;
  due_ = Steady::max();
  return true;
}

void CommitQueue::stop() {
  MutexLock lock(mutex_);
  stopping_ = true;
  work_.notify_all();
}

void CommitQueue::lead() {
  const std::vector<CommitRequest*> batch = take_batch();
  const WatchNotifiers notifiers = process_(batch);
  hand_over();
  for (CommitRequest* request : batch) complete(request);
  for (const std::shared_ptr<WatchNotifier>& notifier : notifiers) notifier->notify();
}

std::vector<CommitRequest*> CommitQueue::take_batch() {
  MutexLock lock(mutex_);
  CHECK(leading_ && !queue_.empty());
  std::vector<CommitRequest*> batch;
  size_t bytes = 0;
  while (!queue_.empty()) {
    CommitRequest* request = queue_.front();
    const bool alone = static_cast<bool>(request->task);
    if (alone && !batch.empty()) break;
    queue_.pop_front();
    if (!request->done) --waited_for_;
    batch.push_back(request);
    bytes += commit_queue::bytes_of(request->txn);
    if (alone || batch.size() == commit_queue::kMaxRequests || bytes >= commit_queue::kMaxBytes) {
      break;
    }
  }
  return batch;
}

void CommitQueue::hand_over() {
  MutexLock lock(mutex_);
  if (waited_for_ > 0) {
    // At any position: the engine's thread may be the one that waits, and no other would lead those
    // before it.
    const auto waits = [](const CommitRequest* request) { return !request->done; };
    CommitRequest* next = *std::find_if(queue_.begin(), queue_.end(), waits);
    return tell(*next, CommitRequest::kLeads);
  }
  leading_ = false;
  if (!queue_.empty() || stopping_) work_.notify_one();
}

void CommitQueue::tell(CommitRequest& request, CommitRequest::State state) {
  if (request.state.exchange(state) == CommitRequest::kSleeps) futex_wake_one(request.state);
}

void CommitQueue::complete(CommitRequest* request) {
  if (!request->done) return tell(*request, CommitRequest::kDone);
  const std::unique_ptr<CommitRequest> owned(request);
  owned->done(*std::move(owned->outcome));
}

}  // namespace proa::store
