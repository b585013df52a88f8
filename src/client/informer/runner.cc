#include "client/informer/runner.h"

#include "base/log.h"

namespace proa::client {
namespace runner {

const Log kLog{"client"};

}  // namespace runner

Runner::Runner(std::string name, Reconciler& reconciler, WorkQueue& queue, WorkerPool& pool)
    : name_(std::move(name)), reconciler_(reconciler), queue_(queue), pool_(pool) {}

Runner::~Runner() { stop(); }

void Runner::start() {
  CHECK(!thread_.joinable());
  thread_ = std::jthread([this](const std::stop_token& stop) { dispatch(stop); });
}

void Runner::stop() {
  queue_.shut_down();
  if (thread_.joinable()) {
    thread_.request_stop();
    thread_.join();
  }
  queue_.wait_idle();
}

void Runner::dispatch(const std::stop_token& stop) {
  while (const std::optional<Key> key = queue_.take({.deadline = Steady::max(), .stop = stop})) {
    // A pool that is full leaves the work to whoever brings it.
    if (!pool_.submit([this, key = *key] { run_one(key); })) run_one(*key);
  }
}

void Runner::run_one(const Key& key) {
  const Result<Again> outcome = reconciler_.reconcile(key);
  if (!outcome) {
    // Somebody else was faster: that happens all the time, and is no news.
    const bool usual = outcome.is(Reason::kConflict);
    const auto level = usual ? &Log::debug : &Log::warn;
    (runner::kLog.*level)("reconcile failed, trying again",
                          {{"runner", name_}, {"key", key.str()}, {"why", outcome.status()}});
  }
  queue_.finish(key, outcome);
}

size_t Runner::drain() {
  size_t count = 0;
  while (const std::optional<Key> key = queue_.try_take()) {
    run_one(*key);
    ++count;
  }
  return count;
}

}  // namespace proa::client
