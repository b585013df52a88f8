#pragma once

#include <list>

#include "base/clock.h"

namespace proa::testkit {

// A clock that tests advance. Waiting threads wake when their time is reached, in no particular
// order. Thread-safe.
class FakeClock final : public Clock {
 public:
  // 2026-01-02T15:04:05Z, so that times in expected output look like times.
  static constexpr Time kStart{std::chrono::seconds(1767366245)};

  explicit FakeClock(Time start = kStart) : now_(start) {}

  Time now() const override EXCLUDES(mutex_);
  Steady steady() const override EXCLUDES(mutex_);
  void wait_until(CondVar& changed, Mutex& lock, Steady deadline) override REQUIRES(lock)
      EXCLUDES(mutex_);

  // Advances both times and wakes the threads that are due. REQUIRES: the caller holds no lock that
  // a waiting thread needs.
  void advance(Duration by) EXCLUDES(mutex_);
  // Sets only the calendar time, as when the machine's date is set.
  void set_calendar(Time now) EXCLUDES(mutex_);
  // Returns once `count` threads wait. Used before advance(), and after it to know that the woken
  // threads have done their work and wait again.
  void await_waiters(size_t count) EXCLUDES(mutex_);

 private:
  struct Waiter {
    CondVar* changed;
    Mutex* lock;
    bool woken = false;  // by advance(): no longer waiting, even if its thread has not run yet
    // wait_until() must not return while advance() wakes it: the caller could destroy its lock.
    int pins = 0;
  };

  mutable Mutex mutex_;
  CondVar waiters_changed_;
  Time now_ GUARDED_BY(mutex_);
  // Less than any machine has been up: a deadline of the real clock is in the future here, too.
  Steady steady_ GUARDED_BY(mutex_){std::chrono::seconds(1)};
  std::list<Waiter> waiters_ GUARDED_BY(mutex_);
};

}  // namespace proa::testkit
