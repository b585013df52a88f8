#pragma once

#include <atomic>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "base/threads/deadline.h"
#include "base/threads/mutex.h"

namespace proa::scheduler {

// Wakes who waits for something to change, by the names of things. Safe to use from any thread.
class ChangeBell {
 public:
  // `clock` outlives it.
  explicit ChangeBell(Clock& clock) : clock_(clock) {}
  ChangeBell(const ChangeBell&) = delete;
  ChangeBell& operator=(const ChangeBell&) = delete;

  // Somebody listens; else nobody need ring, which is then free.
  bool is_heard() const { return listeners_count_.load() > 0; }
  void ring(const std::string& thing) EXCLUDES(mutex_);

  // Hears what is rung from the moment on when it is made.
  class Listener {
   public:
    Listener(ChangeBell& bell, std::vector<std::string> things);
    ~Listener();
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;

    // Until one of the things was rung for since the last call. False when `until` came first.
    bool wait(const Until& until);

   private:
    friend class ChangeBell;
    ChangeBell& bell_;
    const std::vector<std::string> things_;
    bool rung_ = false;  // under the bell's mutex
    CondVar changed_;
  };

 private:
  bool wait(Listener& listener, const Until& until) EXCLUDES(mutex_);
  void add(Listener& listener) EXCLUDES(mutex_);
  void remove(Listener& listener) EXCLUDES(mutex_);

  Clock& clock_;
  std::atomic<size_t> listeners_count_ = 0;
  Mutex mutex_;
  std::unordered_multimap<std::string, Listener*> listeners_ GUARDED_BY(mutex_);
};

}  // namespace proa::scheduler
