#pragma once

#include <functional>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/threads/mutex.h"

namespace proa {

// Something that does its work when it is called, without waiting.
class Pollable {
 public:
  virtual ~Pollable() = default;
  // Does what can be done now. When it wants to be called again at the latest, if nobody wakes it
  // before; max: then it need not be.
  virtual Steady poll() = 0;
  // `wake` is to be called, from any thread and under no lock, when poll() may have something to
  // do. Said once, before the first poll().
  virtual void on_work(std::function<void()> wake) = 0;
};

// One thread for many of them: most wait most of the time, and a thread for each would cost memory
// for nothing.
class Poller {
 public:
  explicit Poller(Clock& clock) : clock_(clock) {}
  // Stops it.
  ~Poller() { stop(); }
  Poller(const Poller&) = delete;
  Poller& operator=(const Poller&) = delete;

  // Polled once at the start. REQUIRES: not started; `pollable` outlives the thread, and its wake
  // the Poller.
  void add(Pollable& pollable);
  void start();
  // Afterwards nothing is polled any more.
  void stop();

 private:
  struct Slot {
    Pollable* pollable;
    bool woken = true;
    Steady due = Steady::max();
  };

  void run(const std::stop_token& stop) EXCLUDES(mutex_);
  // Waits until some are to be polled, and takes them.
  void take_due(const std::stop_token& stop, std::vector<size_t>& due) EXCLUDES(mutex_);
  void wake(size_t index) EXCLUDES(mutex_);

  Clock& clock_;
  Mutex mutex_;
  CondVar changed_;
  std::vector<Slot> slots_ GUARDED_BY(mutex_);
  std::jthread thread_;
};

}  // namespace proa
