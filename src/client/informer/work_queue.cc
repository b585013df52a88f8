#include "client/informer/work_queue.h"

#include "base/check.h"

namespace proa::client {

void WorkQueue::make_ready(const Key& key, State& state) {
  if (state.due) {
    waiting_.erase({*state.due, key});
    state.due.reset();
  }
  if (state.running) {
    state.again = true;
  } else if (!state.ready) {
    state.ready = true;
    ready_.push_back(key);
    changed_.notify_all();
  }
}

void WorkQueue::schedule(const Key& key, State& state, Duration wait) {
  if (state.ready || state.again) return;  // already queued
  const Steady due = clock_.steady() + wait;
  if (state.due && *state.due <= due) return;
  if (state.due) waiting_.erase({*state.due, key});
  state.due = due;
  waiting_.emplace(due, key);
  changed_.notify_all();
}

void WorkQueue::add(const Key& key) {
  {
    MutexLock lock(mutex_);
    if (closed_) return;
    make_ready(key, states_[key]);
  }
  tell();
}

void WorkQueue::add_after(const Key& key, Duration wait) {
  {
    MutexLock lock(mutex_);
    if (closed_) return;
    State& state = states_[key];
    if (wait <= Duration::zero()) {
      make_ready(key, state);
    } else {
      schedule(key, state, wait);
    }
  }
  tell();
}

void WorkQueue::promote_due() {
  const Steady now = clock_.steady();
  while (!waiting_.empty() && waiting_.begin()->first <= now) {
    const Key key = waiting_.begin()->second;
    make_ready(key, states_[key]);
  }
}

std::optional<Key> WorkQueue::pop() {
  promote_due();
  if (closed_ || ready_.empty() || running_ >= options_.max_running) return std::nullopt;
  Key key = std::move(ready_.front());
  ready_.pop_front();
  State& state = states_[key];
  state.ready = false;
  state.running = true;
  ++running_;
  return key;
}

std::optional<Key> WorkQueue::try_take() {
  MutexLock lock(mutex_);
  return pop();
}

std::optional<Key> WorkQueue::take(const Until& until) {
  const std::stop_callback stopped(until.stop, [this] {
    MutexLock lock(mutex_);
    changed_.notify_all();
  });
  MutexLock lock(mutex_);
  while (true) {
    std::optional<Key> key = pop();
    if (key) return key;
    if (closed_ || until.stop.stop_requested() || clock_.steady() >= until.deadline) {
      return std::nullopt;
    }
    const Steady due = waiting_.empty() ? Steady::max() : waiting_.begin()->first;
    clock_.wait_until(changed_, mutex_, std::min(until.deadline, due));
  }
}

void WorkQueue::finish(const Key& key, const Result<Again>& outcome) {
  {
    MutexLock lock(mutex_);
    const auto found = states_.find(key);
    CHECK(found != states_.end() && found->second.running);
    State& state = found->second;
    state.running = false;
    --running_;
    changed_.notify_all();
    if (closed_) return;
    put_off(key, state, outcome);
  }
  tell();
}

void WorkQueue::put_off(const Key& key, State& state, const Result<Again>& outcome) {
  state.failures = outcome ? 0 : state.failures + 1;
  if (state.again) {
    state.again = false;
    make_ready(key, state);
  } else if (!outcome) {
    schedule(key, state, options_.backoff.after(state.failures, random_));
  } else if (outcome->after > Duration::zero()) {
    schedule(key, state, outcome->after);
  } else if (!state.due) {
    states_.erase(key);
  }
}

void WorkQueue::shut_down() {
  MutexLock lock(mutex_);
  closed_ = true;
  changed_.notify_all();
}

size_t WorkQueue::busy() const {
  MutexLock lock(mutex_);
  return ready_.size() + running_;
}

Steady WorkQueue::next_due() const {
  MutexLock lock(mutex_);
  return waiting_.empty() ? Steady::max() : waiting_.begin()->first;
}

}  // namespace proa::client
