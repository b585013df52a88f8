#pragma once

#include <atomic>
#include <functional>

#include "base/clock.h"

namespace proa::client {

// Whether a pollable must be polled: it was woken, or is due. For programs that poll many objects
// on one thread.
class Turn {
 public:
  Turn() = default;
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  // For Pollable::on_work(). The turn outlives it.
  std::function<void()> waker() {
    return [this] { woken_.store(true, std::memory_order_release); };
  }

  bool wanted(Steady now) const { return woken() || due_ <= now; }
  // Woken since the last poll.
  bool woken() const { return woken_.load(std::memory_order_acquire); }
  // The deadline of the next poll, unless it is woken before.
  Steady due() const { return due_; }

  // Before and after a poll: a wake-up during it asks for another one.
  void begin() { woken_.store(false, std::memory_order_release); }
  void end(Steady due) { due_ = due; }

 private:
  std::atomic<bool> woken_ = true;  // not polled yet
  Steady due_ = Steady::max();
};

}  // namespace proa::client
