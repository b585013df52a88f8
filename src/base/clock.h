#pragma once

#include "base/threads/mutex.h"
#include "base/time.h"

namespace proa {

// The source of time. Components never read the system clock: tests and the simulation provide
// their own.
class Clock {
 public:
  virtual ~Clock() = default;

  // Calendar time; may jump.
  virtual Time now() const = 0;
  // Monotonic, at the pace of real time; its zero has no meaning.
  virtual Steady steady() const = 0;
  // Waits until `changed` is notified or the deadline has passed; may wake spuriously, as condition
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
