#pragma once

#include <atomic>
#include <limits>
#include <string>

#include "base/threads/poller.h"
#include "base/threads/pool.h"
#include "client/informer/work_queue.h"

namespace proa::client {

// Brings the state of a key to what is wanted, whatever it is now. From several threads at once,
// but never for one key at a time.
class Reconciler {
 public:
  virtual ~Reconciler() = default;
  virtual Result<Again> reconcile(const Key& key) = 0;
};

// Takes keys from a queue and has them reconciled on a pool; as many at once as the queue hands
// out. A Poller calls it.
class Runner final : public Pollable {
 public:
  // Everything outlives it. `name` is for logs: "deployment".
  Runner(std::string name, Reconciler& reconciler, WorkQueue& queue, WorkerPool& pool);
  // Stops it.
  ~Runner() override;
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  // Keys are handed out from now on.
  void start();
  Steady poll() override;
  void on_work(std::function<void()> wake) override;
  // Instead, for who runs everything on one thread: works until nothing is ready, or on so many
  // keys. How many that were.
  size_t drain(size_t most = std::numeric_limits<size_t>::max());
  // Shuts the queue down, and waits for what runs. REQUIRES: nobody polls it any more.
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
