#include "client/informer/runner.h"

#include "base/log.h"
#include "base/threads/guarded.h"

namespace proa::client {
namespace runner {

const Log kLog{"client"};

}  // namespace runner

Runner::Runner(std::string name, Reconciler& reconciler, WorkQueue& queue, WorkerPool& pool)
    : name_(std::move(name)), reconciler_(reconciler), queue_(queue), pool_(pool) {}

Runner::~Runner() { stop(); }

void Runner::stop() {
  queue_.shut_down();
  MutexLock lock(mutex_);
  while (tasks_ > 0) ended_.wait(mutex_);
}

void Runner::on_work(std::function<void()> wake) {
  wake_ = wake;
  queue_.on_ready(std::move(wake));
}

void Runner::start() {
  started_ = true;
  if (wake_) wake_();
}

Steady Runner::poll() {
  if (!started_) return Steady::max();
  while (const std::optional<Key> key = queue_.try_take()) {
    begin();
    const bool taken = pool_.submit([this, key = *key] {
      run_one(key);
      end();
    });
    if (taken) continue;
    // If the pool is full, the caller does the work.
    run_one(*key);
    end();
  }
  return queue_.next_due();
}

void Runner::begin() {
  MutexLock lock(mutex_);
  ++tasks_;
}

// The last action of a task: afterwards the runner may be destroyed.
void Runner::end() {
  MutexLock lock(mutex_);
  --tasks_;
  ended_.notify_all();
}

void Runner::run_one(const Key& key) {
  const Result<Again> outcome = guarded([&] { return reconciler_.reconcile(key); });
  if (!outcome) {
    // Conflicts are ordinary, and not worth a warning.
    const bool usual = outcome.is(Reason::kConflict);
    const auto level = usual ? &Log::debug : &Log::warn;
    (runner::kLog.*level)("reconcile failed, retrying",
                          {{"runner", name_}, {"key", key.str()}, {"why", outcome.status()}});
  }
  queue_.finish(key, outcome);
}

size_t Runner::drain(size_t most) {
  size_t count = 0;
  for (; count < most; ++count) {
    const std::optional<Key> key = queue_.try_take();
    if (!key) break;
    run_one(*key);
  }
  return count;
}

}  // namespace proa::client
