#pragma once

#include <list>

#include "base/clock.h"

namespace proa::testkit {

// A clock that stands still until a test moves it. Threads that wait on it wake when their time has
// come, in no particular order. Safe to use from any thread.
class FakeClock final : public Clock {
 public:
  // 2026-01-02T15:04:05Z, so that times in expected output look like times.
  static constexpr Time kStart{std::chrono::seconds(1767366245)};

  explicit FakeClock(Time start = kStart) : now_(start) {}

  Time now() const override EXCLUDES(mutex_);
  Steady steady() const override EXCLUDES(mutex_);
  void wait_until(CondVar& changed, Mutex& lock, Steady deadline) override REQUIRES(lock)
      EXCLUDES(mutex_);

  // Moves both times forward and wakes whoever waited for that. REQUIRES: the caller holds no lock
  // that a waiting thread needs.
  void advance(Duration by) EXCLUDES(mutex_);
  // The calendar alone: somebody set the machine's date.
  void set_calendar(Time now) EXCLUDES(mutex_);
  // Returns once `count` threads wait: what a test does before it advances, and after that, to
  // know that those it woke have done their work and wait again.
  void await_waiters(size_t count) EXCLUDES(mutex_);

 private:
  struct Waiter {
    CondVar* changed;
    Mutex* lock;
    bool woken = false;  // by advance(): it no longer waits, even if its thread did not run yet
    // While advance() wakes this one, wait_until() must not return: the caller could destroy its
    // lock.
    int pins = 0;
  };

  mutable Mutex mutex_;
  CondVar waiters_changed_;
  Time now_ GUARDED_BY(mutex_);
  Steady steady_ GUARDED_BY(mutex_){std::chrono::hours(1)};
  std::list<Waiter> waiters_ GUARDED_BY(mutex_);
};

}  // namespace proa::testkit
