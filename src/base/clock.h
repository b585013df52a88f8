#pragma once

#include "base/threads/mutex.h"
#include "base/time.h"

namespace proa {

// Where time comes from. Components never ask the system: tests and the simulation put a clock of
// their own here.
class Clock {
 public:
  virtual ~Clock() = default;

  // What the calendar says; may jump.
  virtual Time now() const = 0;
  // Only grows, at the pace of real time; its zero means nothing.
  virtual Steady steady() const = 0;
  // Waits until `changed` is notified or the time has come; may wake for no reason, as condition
  // variables do. REQUIRES: `lock` is held.
  virtual void wait_until(CondVar& changed, Mutex& lock, Steady deadline) REQUIRES(lock) = 0;
};

class SystemClock final : public Clock {
 public:
  Time now() const override;
  Steady steady() const override;
  void wait_until(CondVar& changed, Mutex& lock, Steady deadline) override REQUIRES(lock);
};

}  // namespace proa
