#pragma once

#include <functional>
#include <memory>
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

  // Polled once at the start. Its wake function may be called after the Poller is gone. REQUIRES:
  // not started; `pollable` outlives the thread.
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
  // Shared with the wake functions.
  struct Slots {
    Mutex mutex;
    CondVar changed;
    std::vector<Slot> all GUARDED_BY(mutex);

    void wake(size_t index) EXCLUDES(mutex);
  };

  void run(const std::stop_token& stop);
  // Waits until some are due, and takes them.
  void take_due(const std::stop_token& stop, std::vector<size_t>& due);

  Clock& clock_;
  const std::shared_ptr<Slots> slots_ = std::make_shared<Slots>();
  std::jthread thread_;
};

}  // namespace proa
