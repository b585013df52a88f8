#pragma once

#include <string>
#include <thread>

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
// out.
class Runner {
 public:
  // Everything outlives it. `name` is for logs: "deployment".
  Runner(std::string name, Reconciler& reconciler, WorkQueue& queue, WorkerPool& pool);
  // Shuts the queue down, and waits for what runs.
  ~Runner();
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  void start();
  void stop();
  // Instead of start(), for who runs everything on one thread: works until nothing is ready. How
  // many keys that were.
  size_t drain();

 private:
  void dispatch(const std::stop_token& stop);
  void run_one(const Key& key);

  const std::string name_;
  Reconciler& reconciler_;
  WorkQueue& queue_;
  WorkerPool& pool_;
  std::jthread thread_;
};

}  // namespace proa::client
