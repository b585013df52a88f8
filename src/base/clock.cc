#include "base/clock.h"

namespace proa {

Time SystemClock::now() const {
  return Time(
      std::chrono::duration_cast<Duration>(std::chrono::system_clock::now().time_since_epoch()));
}

Steady SystemClock::steady() const {
  return Steady(std::chrono::steady_clock::now().time_since_epoch());
}

void SystemClock::wait_until(CondVar& changed, Mutex& lock, Steady deadline) {
  if (deadline == Steady::max()) {
    changed.wait(lock);
  } else {
    changed.wait_until(lock, std::chrono::steady_clock::time_point(deadline.time_since_epoch()));
  }
}

}  // namespace proa
