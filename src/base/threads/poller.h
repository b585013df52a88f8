#pragma once

#include <functional>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/threads/mutex.h"

namespace proa {

// Work that is done in calls which do not block.
class Pollable {
 public:
  virtual ~Pollable() = default;
  // Does what can be done now. Returns when it must be called again at the latest; max: only when
  // woken.
  virtual Steady poll() = 0;
  // Sets the function to call, from any thread and under no lock, when poll() may have work. Called
  // once, before the first poll().
  virtual void on_work(std::function<void()> wake) = 0;
};

// Polls many objects on one thread: most are idle most of the time, and a thread for each would
// waste memory.
class Poller {
 public:
  explicit Poller(Clock& clock) : clock_(clock) {}
  // Stops it.
  ~Poller() { stop(); }
  Poller(const Poller&) = delete;
  Poller& operator=(const Poller&) = delete;

  // Polled once at the start. REQUIRES: not started; `pollable` outlives the thread; the Poller
  // outlives calls of its wake function.
  void add(Pollable& pollable);
  void start();
  // When this returns, nothing is polled any more.
  void stop();

 private:
  struct Slot {
    Pollable* pollable;
    bool woken = true;
    Steady due = Steady::max();
  };

  void run(const std::stop_token& stop) EXCLUDES(mutex_);
  // Waits until some are due, and takes them.
  void take_due(const std::stop_token& stop, std::vector<size_t>& due) EXCLUDES(mutex_);
  void wake(size_t index) EXCLUDES(mutex_);

  Clock& clock_;
  Mutex mutex_;
  CondVar changed_;
  std::vector<Slot> slots_ GUARDED_BY(mutex_);
  std::jthread thread_;
};

}  // namespace proa
