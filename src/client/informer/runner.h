#pragma once

#include <atomic>
#include <limits>
#include <string>

#include "base/threads/poller.h"
#include "base/threads/pool.h"
#include "client/informer/work_queue.h"

namespace proa::client {

// Brings the state of a key to the desired one, whatever it is now. Called by several threads, but
// never concurrently for one key.
class Reconciler {
 public:
  virtual ~Reconciler() = default;
  virtual Result<Again> reconcile(const Key& key) = 0;
};

// Takes keys from a queue and reconciles them on a pool, as many concurrently as the queue allows.
// Run by a Poller.
class Runner final : public Pollable {
 public:
  // REQUIRES: all arguments outlive it. `name` is for logs: "deployment".
  Runner(std::string name, Reconciler& reconciler, WorkQueue& queue, WorkerPool& pool);
  // Stops it.
  ~Runner() override;
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  // Starts processing keys.
  void start();
  Steady poll() override;
  void on_work(std::function<void()> wake) override;
  // Instead, for programs on one thread: works until no key is ready, or on at most `most` keys.
  // Returns how many.
  size_t drain(size_t most = std::numeric_limits<size_t>::max());
  // Shuts the queue down, and waits for running tasks. REQUIRES: it is not polled any more.
  void stop() EXCLUDES(mutex_);

 private:
  void begin() EXCLUDES(mutex_);
  void end() EXCLUDES(mutex_);
  void run_one(const Key& key);

  const std::string name_;
  Reconciler& reconciler_;
  WorkQueue& queue_;
  WorkerPool& pool_;
  std::atomic<bool> started_ = false;
  std::function<void()> wake_;
  Mutex mutex_;
  CondVar ended_;
  size_t tasks_ GUARDED_BY(mutex_) = 0;  // on the pool
};

}  // namespace proa::client
