#include "base/threads/group.h"

#include <deque>
#include <optional>

namespace proa {

struct Group::State {
  Mutex mutex;
  CondVar changed;
  std::deque<Task> waiting GUARDED_BY(mutex);
  size_t running GUARDED_BY(mutex) = 0;
  std::optional<Status> failure GUARDED_BY(mutex);
  std::stop_source stop;

  // Runs one queued task; false if there is none.
  bool run_one() EXCLUDES(mutex);
  void call_off() EXCLUDES(mutex);
};

bool Group::State::run_one() {
  Task task;
  {
    MutexLock lock(mutex);
    if (waiting.empty()) return false;
    task = std::move(waiting.front());
    waiting.pop_front();
    ++running;
  }
  const Result<void> result = task(stop.get_token());
  task = nullptr;
  if (!result) stop.request_stop();
  MutexLock lock(mutex);
  if (!result && !failure) failure = result.status();
  --running;
  changed.notify_all();
  return true;
}

void Group::State::call_off() {
  stop.request_stop();
  std::deque<Task> dropped;  // destroyed outside of the lock
  MutexLock lock(mutex);
  dropped.swap(waiting);
}

Group::Group(WorkerPool& pool, Clock& clock)
    : pool_(pool), clock_(clock), state_(std::make_shared<State>()) {}

Group::~Group() {
  state_->call_off();
  MutexLock lock(state_->mutex);
  while (state_->running > 0) state_->changed.wait(state_->mutex);
}

void Group::run(Task task) {
  {
    MutexLock lock(state_->mutex);
    state_->waiting.push_back(std::move(task));
  }
  // A pool that accepts no more work is not a failure: wait() runs the task.
  (void)pool_.submit([state = state_] { state->run_one(); });
}

Result<void> Group::wait(const Until& until) {
  State& state = *state_;
  const auto over = [&] {
    return until.stop.stop_requested() || clock_.steady() >= until.deadline;
  };
  while (!over() && state.run_one()) {
  }
  // Under the lock, so that no wake-up is lost between the check and the wait.
  const std::stop_callback wake(until.stop, [&] {
    MutexLock lock(state.mutex);
    state.changed.notify_all();
  });
  bool ended = false;
  {
    MutexLock lock(state.mutex);
    while (!(ended = state.running == 0 && state.waiting.empty()) && !over()) {
      clock_.wait_until(state.changed, state.mutex, until.deadline);
    }
    if (ended && state.failure) return *state.failure;
  }
  if (ended) return {};
  state.call_off();
  return Status(Reason::kTimeout, "timed out or cancelled before all tasks finished");
}

}  // namespace proa
